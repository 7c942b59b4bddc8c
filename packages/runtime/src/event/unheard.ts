/** Does something for others whose failure, at once or later, concerns nobody here: it is dropped. */
export function unheard(action: () => unknown): void {
  try {
    const later: unknown = action()
    if (later instanceof Promise) later.catch(() => undefined)
  } catch {
    // The other side has its own ways to report.
  }
}
