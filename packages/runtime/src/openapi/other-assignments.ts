/**
 * The assignments of queries or cookies, each by itself, without those to some names: what an application gives under a name is
 * the only one of it, since which of two counts is for each server to decide.
 *
 * @param texts such as `a=1` or `a=1&b=2`, encoded
 */
export function otherAssignments(texts: readonly string[], names: readonly string[]): readonly string[] {
  if (names.length === 0) return texts
  return texts.flatMap((text) => {
    const others = text.split('&').filter((assignment) => !names.includes(assignedName(assignment)))
    return others.length === 0 ? [] : [others.join('&')]
  })
}

/** The name to which something is assigned, as a server reads it. */
export function assignedName(assignment: string): string {
  const [name = ''] = assignment.split('=', 1)
  try {
    return decodeURIComponent(name.trim().replaceAll('+', ' '))
  } catch {
    // A base URL may have a `%` that encodes nothing.
    return name
  }
}
