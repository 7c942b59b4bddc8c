/** A description with notes after it; `undefined` where there is nothing to say. */
export function described(description: unknown, notes: readonly string[]): string | undefined {
  const own = typeof description === 'string' ? description.trimEnd() : ''
  const said = notes.filter((note, at) => notes.indexOf(note) === at && !own.includes(note))
  if (said.length === 0) return typeof description === 'string' ? description : undefined
  if (own === '') return said.join(' ')
  return `${/[.!?…:;]$/u.test(own) ? own : `${own}.`} ${said.join(' ')}`
}
