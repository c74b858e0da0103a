/** `lspci -tv` of a two-socket server: an RNIC in a slot, and an RNIC with two ports beside a GPU behind a switch. */
export const TREE = String.raw`-+-[0000:80]-+-00.0  Intel Corporation Ice Lake Memory Map/VT-d
 |           \-02.0-[81-85]----00.0-[82-85]--+-00.0-[83]----00.0  NVIDIA Corporation GA100 [A100 SXM4 40GB]
 |                                           \-04.0-[84]--+-00.0  Mellanox Technologies MT28908 Family [ConnectX-6]
 |                                                        \-00.1  Mellanox Technologies MT28908 Family [ConnectX-6]
 \-[0000:00]-+-00.0  Intel Corporation Ice Lake Memory Map/VT-d
             +-01.0-[01]----00.0  Mellanox Technologies MT28908 Family [ConnectX-6]
             +-03.0-[02]--
             \-1f.0  Intel Corporation C621A Series Chipset LPC/eSPI Controller
`;

/** `lspci -vvv` of the same, of the functions that matter; capabilities of the GPU are hidden. */
export const VERBOSE = `0000:01:00.0 Infiniband controller: Mellanox Technologies MT28908 Family [ConnectX-6]
	Subsystem: Mellanox Technologies Device 0007
	NUMA node: 0
	IOMMU group: 12
	Capabilities: [60] Express (v2) Endpoint, MSI 00
		DevCtl:	CorrErr+ NonFatalErr+ FatalErr+ UnsupReq-
			RlxdOrd- ExtTag+ PhantFunc- AuxPwr- NoSnoop+ FLReset-
			MaxPayload 128 bytes, MaxReadReq 4096 bytes
		LnkCap:	Port #0, Speed 16GT/s, Width x16, ASPM not supported
		LnkSta:	Speed 8GT/s (downgraded), Width x8 (downgraded)
	Capabilities: [1c0 v1] Address Translation Service (ATS)
		ATSCap:	Invalidate Queue Depth: 00
		ATSCtl:	Enable-, Smallest Translation Unit: 00

0000:00:01.0 PCI bridge: Intel Corporation Device 347a (prog-if 00 [Normal decode])
	NUMA node: 0
	Bus: primary=00, secondary=01, subordinate=01, sec-latency=0
	Capabilities: [40] Express (v2) Root Port (Slot+), MSI 00
		LnkCap:	Port #1, Speed 16GT/s, Width x16, ASPM L1
		LnkSta:	Speed 8GT/s (downgraded), Width x8 (downgraded)

0000:82:00.0 PCI bridge: PLX Technology, Inc. PEX 88096 (prog-if 00 [Normal decode])
	NUMA node: 1
	Bus: primary=82, secondary=83, subordinate=83, sec-latency=0
	Capabilities: [68] Express (v2) Downstream Port (Slot+), MSI 00
		ACSCtl:	SrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-

0000:83:00.0 3D controller: NVIDIA Corporation GA100 [A100 SXM4 40GB] (rev a1)
	NUMA node: 1
	Capabilities: <access denied>

0000:84:00.0 Infiniband controller: Mellanox Technologies MT28908 Family [ConnectX-6]
	NUMA node: 1
	Capabilities: [60] Express (v2) Endpoint, MSI 00
		LnkCap:	Port #0, Speed 16GT/s, Width x16, ASPM not supported
		LnkSta:	Speed 16GT/s, Width x16
`;

/** hwloc's XML of its first RNIC, version 2. */
export const HWLOC_2 = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0">
    <object type="Package" os_index="0">
      <object type="NUMANode" os_index="0" local_memory="540000000000"/>
      <object type="Bridge" bridge_type="0-1" depth="0" bridge_pci="0000:[00-0a]">
        <object type="Bridge" bridge_type="1-1" depth="1" bridge_pci="0000:[01-01]" pci_busid="0000:00:01.0" pci_type="0604 [8086:347a] [0000:0000] 04" pci_link_speed="15.753846">
          <object type="PCIDev" pci_busid="0000:01:00.0" pci_type="0207 [15b3:101b] [15b3:0007] 00" pci_link_speed="15.753846">
            <info name="PCIDevice" value="MT28908 Family [ConnectX-6]"/>
            <object type="OSDev" name="ib0" osdev_type="2"/>
            <object type="OSDev" name="mlx5_0" osdev_type="3"/>
          </object>
        </object>
      </object>
    </object>
    <object type="Package" os_index="1">
      <object type="NUMANode" os_index="1" local_memory="540000000000"/>
    </object>
  </object>
</topology>
`;

/** `nvidia-smi topo -m` with a legend of NICs, and as older drivers print it. */
export const NVIDIA_NEW = `\t\u001b[4mGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\u001b[0m
GPU0\t X \tNV12\tPXB\t0-31\t0\t\tN/A
GPU1\tNV12\t X \tSYS\t32-63\t1\t\tN/A
NIC0\tPXB\tSYS\t X \t\t\t\t

Legend:

  X    = Self
  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)

NIC Legend:

  NIC0: mlx5_0
`;

export const NVIDIA_OLD = `\tGPU0\tGPU1\tmlx5_0\tCPU Affinity
GPU0\t X \tSOC\tPIX\t0-15
GPU1\tSOC\t X \tSOC\t16-31
mlx5_0\tPIX\tSOC\t X \t

Legend:
`;
