/** What a PCI function is, as far as the graph of a host needs to know. */
export type PciRole = 'root-port' | 'upstream-port' | 'downstream-port' | 'bridge' | 'gpu' | 'rnic' | 'other';

/** The state of a PCIe link as its lower end reports it. */
export interface PciLinkState {
  readonly gigatransfers: number;
  readonly lanes: number;
}

/**
 * What one source says about one PCI function. A fact that the source does not know is absent, never a guess: without
 * privileges `lspci` hides capabilities, which is unknown and not 'off'.
 */
export interface PciFacts {
  /** `dddd:bb:dd.f`, lower case. */
  readonly address: string;
  readonly role?: PciRole;
  readonly title?: string;
  /** The bridge above it; null at a root bus. */
  readonly parent?: string | null;
  /** The root bus that it hangs from, `dddd:bb`. */
  readonly rootBus?: string;
  readonly link?: PciLinkState;
  readonly linkMax?: PciLinkState;
  /** Rate of the current link where a source gives it without its width and generation. */
  readonly linkGbps?: number;
  /** Whether ACS sends peer requests up to the root complex. */
  readonly acsRedirect?: boolean;
  readonly ats?: boolean;
  readonly relaxedOrdering?: boolean;
  readonly maxPayloadBytes?: number;
  readonly maxReadRequestBytes?: number;
  readonly numaNode?: number;
  /** The processor package that it hangs from. */
  readonly socket?: number;
  readonly iommuGroup?: number;
  /** Names of the operating system: `mlx5_0`, `nvidia0`. */
  readonly names?: readonly string[];
  /** The physical function, for a virtual one. */
  readonly physicalFunction?: string;
}

/** A processor package or NUMA node, where a source knows of it. */
export interface NumaFacts {
  readonly node: number;
  readonly socket?: number;
  readonly memoryBytes?: number;
}

/** What one source says about a machine. */
export interface MachineFacts {
  /** What was read, such as `lspci -vvv`. */
  readonly source: string;
  readonly functions: readonly PciFacts[];
  readonly numaNodes: readonly NumaFacts[];
  /** Distances between devices by their names, where the source gives classes instead of a tree. */
  readonly distances: readonly Distance[];
}

/** How far two devices are apart, in NVIDIA's words. */
export interface Distance {
  readonly from: string;
  readonly to: string;
  readonly distance: 'PIX' | 'PXB' | 'PHB' | 'NODE' | 'SYS' | 'NVLINK';
}

/** The address in one form: with its domain, lower case. */
export function pciAddress(text: string): string {
  const lower = text.toLowerCase();
  return /^[0-9a-f]{4,8}:/.test(lower) && lower.split(':').length === 3 ? lower : `0000:${lower}`;
}

/** Gigatransfers per second by PCIe generation, 1 to 6. */
const GIGATRANSFERS = [2.5, 5, 8, 16, 32, 64];

/** The generation that has a rate; null for a rate that no generation has. */
export function generationOf(gigatransfers: number): number | null {
  const index = GIGATRANSFERS.indexOf(gigatransfers);
  return index < 0 ? null : index + 1;
}

/** PCI class codes (the upper 16 bits): 3D and other display controllers, processing accelerators. */
const GPU_CLASSES = new Set(['0302', '0380', '1200']);
/** Whose VGA controllers are GPUs that an RNIC may reach; those of others are for the screen of a server's BMC. */
const GPU_VENDORS = new Set(['10de', '1002']);

/** What a device is, by its class code and, where it is known, the vendor's. */
export function roleByClass(code: string, vendor: string | undefined): PciRole {
  const lower = code.toLowerCase();
  if (GPU_CLASSES.has(lower)) return 'gpu';
  if (lower === '0300') return GPU_VENDORS.has(vendor?.toLowerCase() ?? '') ? 'gpu' : 'other';
  if (lower === '0207') return 'rnic';
  return lower === '0604' ? 'bridge' : 'other';
}

/** What a device is, by the class and vendor words that lspci and sysfs share. */
export function roleByTitle(title: string): PciRole {
  if (
    /infiniband controller|(ethernet|network) controller:? .*(mellanox|connectx|bluefield|e810|thor|bcm57[4-6])/i.test(
      title,
    )
  )
    return 'rnic';
  if (/mellanox|connectx|bluefield/i.test(title) && !/bridge|dma/i.test(title)) return 'rnic';
  if (
    /(3d|vga compatible|display) controller:? .*(nvidia|amd|advanced micro|intel.*(flex|max|ponte))/i.test(
      title,
    )
  )
    return 'gpu';
  // `lspci -tv` prints no class: NVIDIA's chips are known by their code names, their audio and USB functions are not GPUs.
  if (/nvidia corporation (G[ABHKMPTV]|AD)\d{2,3}/i.test(title) && !/audio|usb|serial/i.test(title))
    return 'gpu';
  if (/processing accelerators?:/i.test(title)) return 'gpu';
  if (/pci bridge/i.test(title)) return 'bridge';
  return 'other';
}
