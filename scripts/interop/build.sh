#!/bin/bash
# Builds the virtual machine of the interoperation suite: a stock Debian kernel with rdma_rxe, and a root file system
# with rdma-core, perftest, rdmacm-utils, qperf, libfabric and pyverbs. Everything comes from Debian's packages.
#
#   build.sh FOLDER      leaves kernel, initial-ramdisk, root.ext4 and versions.txt in FOLDER
#
# Exit status: 0 built, 3 this machine cannot build it (the reason is the last line of standard error), else a failure.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
folder="$(mkdir -p "${1:?the folder to build in}" && cd "$1" && pwd)"
cannot() { echo "$*" >&2; exit 3; }
began=$(date +%s)
step() { echo "[$(($(date +%s) - began)) s] $*"; }

command -v apt-get >/dev/null || cannot "the virtual machine is built from Debian packages, and this system has no apt-get"
[ "$(dpkg --print-architecture)" = amd64 ] || cannot "the virtual machine is built for amd64, and this system is $(dpkg --print-architecture)"
[ "$(id -u)" = 0 ] || cannot "building the virtual machine needs root once (apt-get install, mmdebstrap); running it does not"
export DEBIAN_FRONTEND=noninteractive

step "host tools"
apt-get update -qq || cannot "apt-get update failed: no package source can be reached"
apt-get -o DPkg::Lock::Timeout=120 install -y -qq --no-install-recommends qemu-system-x86 mmdebstrap kmod cpio busybox-static e2fsprogs \
  >"$folder/apt.log" 2>&1 || cannot "QEMU or mmdebstrap cannot be installed: $(tail -1 "$folder/apt.log")"

work="$folder/work"
rm -rf "$work"
mkdir -p "$work/packages" "$work/kernel"
trap 'rm -rf "$work"' EXIT

# The cloud flavour of the kernel has no rdma_rxe, so the image is the one that linux-image-amd64 depends on.
image=$(apt-cache depends linux-image-amd64 | awk '/Depends: linux-image/ { print $2; exit }')
release=${image#linux-image-}
step "kernel $release"
(cd "$work/packages" && apt-get download -qq "$image")
dpkg-deb -x "$work/packages/${image}"_*.deb "$work/kernel"
depmod -b "$work/kernel" "$release"

step "root file system"
packages=rdma-core,ibverbs-utils,ibverbs-providers,perftest,rdmacm-utils,qperf,libfabric-bin,iproute2,iputils-ping,python3-pyverbs,kmod,procps
root="$work/root"
mmdebstrap --quiet --variant=minbase --include="$packages" \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
  "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$root" /etc/apt/sources.list.d/debian.sources 2>"$folder/root.log"

step "modules"
dependencies() { modprobe -d "$work/kernel" -S "$release" --show-depends "$1" 2>/dev/null | awk '$1 == "insmod" { print $2 }'; }
for module in virtio_net rdma_rxe rdma_ucm ib_uverbs ib_umad sch_netem sch_ingress cls_u32 cls_matchall act_mirred ifb crc32_generic crc32_pclmul; do
  dependencies "$module" || true
done | sort -u | while read -r file; do
  install -D -m 644 "$file" "$root/usr/lib/modules/$release/${file#*/lib/modules/"$release"/}"
done
cp "$work/kernel/lib/modules/$release/modules.builtin" "$work/kernel/lib/modules/$release/modules.order" "$root/usr/lib/modules/$release/"
depmod -b "$root" "$release"

step "image"
install -m 755 "$here/guest/init" "$root/init"
install -m 755 "$here/guest/control.py" "$root/control.py"
megabytes=$(($(du -sm "$root" | cut -f1) * 5 / 4 + 64))
rm -f "$folder/root.ext4"
mke2fs -q -t ext4 -O ^has_journal -m 0 -N 40000 -d "$root" "$folder/root.ext4" "${megabytes}M"

ramdisk="$work/ramdisk"
mkdir -p "$ramdisk"/{bin,dev,proc,sys,root,modules}
cp "$(command -v busybox)" "$ramdisk/bin/busybox"
for module in virtio_pci virtio_blk ext4; do dependencies "$module"; done | awk '!seen[$0]++' | while read -r file; do
  cp "$file" "$ramdisk/modules/"
  basename "$file"
done >"$ramdisk/modules/order"
cat >"$ramdisk/init" <<'INIT'
#!/bin/busybox sh
B=/bin/busybox
$B mount -t devtmpfs dev /dev
for module in $($B cat /modules/order); do $B insmod /modules/$module; done
tries=0
while [ ! -b /dev/vda ] && [ $tries -lt 100 ]; do $B usleep 20000; tries=$((tries + 1)); done
$B mount -t ext4 -o rw,noatime /dev/vda /root || exec $B sh
$B mount --move /dev /root/dev
exec $B switch_root /root /init
INIT
chmod +x "$ramdisk/init"
(cd "$ramdisk" && find . | cpio -o -H newc 2>/dev/null) >"$folder/initial-ramdisk"
cp "$work/kernel/boot/vmlinuz-$release" "$folder/kernel"

version() { chroot "$root" dpkg-query -W -f '${Version}' "$1"; }
{
  echo "Linux $release ($(dpkg-deb -f "$work/packages/${image}"_*.deb Version))"
  echo "rdma-core $(version rdma-core)"
  echo "perftest $(version perftest)"
  echo "qperf $(version qperf)"
  echo "libfabric $(version libfabric-bin)"
  echo "pyverbs $(version python3-pyverbs)"
  qemu-system-x86_64 --version | head -1
} >"$folder/versions.txt"
step "done"
