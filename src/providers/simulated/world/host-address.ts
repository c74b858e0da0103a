/** Writes the IPv4 address of a host, by its number, into a header: 10.0.0.1, 10.0.0.2, … */
export function writeIpv4(header: Uint8Array, at: number, host: number): void {
  const number = host + 1;
  header[at] = 10;
  header[at + 1] = number >> 16;
  header[at + 2] = number >> 8;
  header[at + 3] = number;
}

/** That address in text. */
export function ipv4Of(host: number): string {
  const bytes = new Uint8Array(4);
  writeIpv4(bytes, 0, host);
  return bytes.join('.');
}
