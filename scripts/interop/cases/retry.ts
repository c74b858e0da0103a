/** Tries again while nobody listens in the guest yet. */
export async function retry<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let left = 40; ; left--) {
    try {
      return await run();
    } catch (error) {
      if (left === 0 || !/invalidServiceId|unsupported/.test(String(error))) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
