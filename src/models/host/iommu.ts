/** What an entry covers: the figures that are known are of pages of this size (pcie-bench, SIGCOMM 2018). */
const PAGE_BYTES = 4096;
const NO_PAGE = -1;

/**
 * An IOMMU between a device and the host: an IOTLB that keeps the pages that were used last, and a walk of page tables
 * for every other one. The first page of a message makes it wait. Walks for its later pages overlap with its transfer,
 * and descriptors and completions lie in a few pages that are always there: assumptions, which leave throughput alone as
 * huge pages do (PeerJ Computer Science 2023: up to a fifth is lost with small ones).
 *
 * Each device has the entries for itself; those of a real host share them, which matters when they are busy at once.
 */
export class Iommu {
  hits = 0;
  misses = 0;
  /** How long a walk takes; 0: addresses pass untranslated. */
  walkPs = 0;
  private readonly pages: Float64Array;
  /** When each was used last, in lookups. */
  private readonly used: Float64Array;
  private lookups = 0;

  constructor(entries: number) {
    this.pages = new Float64Array(entries).fill(NO_PAGE);
    this.used = new Float64Array(entries);
  }

  /** When the first page of a DMA is translated, if that is asked for now. All its pages are known afterwards. */
  translate(nowPs: number, address: number, bytes: number): number {
    if (this.walkPs === 0 || bytes === 0) return nowPs;
    const first = Math.floor(address / PAGE_BYTES);
    const last = Math.floor((address + bytes - 1) / PAGE_BYTES);
    const hit = this.touch(first);
    if (hit) this.hits++;
    else this.misses++;
    // Of more pages than it holds the last ones stay.
    for (let page = Math.max(first + 1, last - this.pages.length + 1); page <= last; page++) this.touch(page);
    return hit ? nowPs : nowPs + this.walkPs;
  }

  /** Notes the use of a page: whether it was there. Else it takes the place of the one that was used longest ago. */
  private touch(page: number): boolean {
    const { pages, used } = this;
    let oldest = 0;
    this.lookups++;
    for (let entry = 0; entry < pages.length; entry++) {
      if (pages[entry] === page) {
        used[entry] = this.lookups;
        return true;
      }
      if (used[entry] < used[oldest]) oldest = entry;
    }
    pages[oldest] = page;
    used[oldest] = this.lookups;
    return false;
  }
}
