import type { Diagnostic } from '../diagnostics/diagnostic.js'

/** What several files of one kind have in common; what each is, stands after its place. */
const groups: ReadonlyMap<string, { readonly all: (files: number) => string; readonly each: string }> = new Map([
  ['TG5020', { all: (files) => `${files} generated files are missing.`, each: 'missing' }],
  ['TG5021', { all: (files) => `${files} generated files are not what the design gives.`, each: 'differs' }],
  ['TG5022', { all: (files) => `${files} generated files belong to no part of the design.`, each: 'left over' }],
])

/** The same findings, with files that differ in the same way under one heading and one next step. */
export function withDriftGrouped(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const members = new Map([...groups.keys()].map((code) => [code, diagnostics.filter((found) => found.code === code)]))
  return diagnostics.flatMap((diagnostic) => {
    const group = groups.get(diagnostic.code)
    const files = members.get(diagnostic.code) ?? []
    if (group === undefined || files.length < 2) return [diagnostic]
    if (files[0] !== diagnostic) return []
    const { code, severity, next } = diagnostic
    const related = files.map(({ place }) => ({ message: group.each, ...(place !== undefined && { place }) }))
    return [{ code, severity, message: group.all(files.length), related, next }]
  })
}
