/** What the rows of each source are from, and the words that their settings take from it. */
export const papers: Readonly<Record<string, string>> = {
  PeRF: 'PeRF: Preemption-enabled RDMA Framework, USENIX ATC 2024. B is an application that sends 1 MB messages, M one that sends 16 B messages in batches of 32, D one that sends 16 B messages one at a time. Mmps: million messages per second.',
  Husky:
    'Husky: Understanding RDMA Microarchitecture Resources for Performance Isolation, NSDI 2023. MTT: the table of memory translations; MR: memory region; L2: with Ethernet headers.',
  SRNIC: 'SRNIC: A Scalable Architecture for RDMA NICs, NSDI 2023. FCT: flow completion time.',
  Hostping:
    'Hostping: Diagnosing Intra-host Network Bottlenecks in RDMA Servers, NSDI 2023. GDR: RDMA to the memory of a GPU.',
  Collie:
    'Collie: Finding Performance Anomalies in RDMA Subsystems, NSDI 2022. C1 to C18 are the anomalies of its Table 2.',
  Lamda: 'Lamda: a draft; its authors left the evaluation blank.',
  Azure: 'Empowering Azure Storage with RDMA, NSDI 2023.',
  Everyday:
    'Everyday measurements from public sources. Latency is that of perftest: half a round trip for WRITE and SEND, the whole for READ and atomics.',
};
