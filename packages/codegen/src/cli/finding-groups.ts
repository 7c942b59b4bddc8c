import type { Diagnostic } from '../diagnostics/diagnostic.js'

/** What several findings of one kind have in common, and what each is, which stands after its place. */
interface Group {
  readonly all: (found: number, first: Diagnostic) => string
  readonly each: (finding: Diagnostic) => string
  /** Whether only findings in one file belong together. */
  readonly byFile?: boolean
}

const groups: ReadonlyMap<string, Group> = new Map([
  ['TG5020', { all: (files) => `${files} generated files are missing.`, each: () => 'missing' }],
  ['TG5021', { all: (files) => `${files} generated files are not what the design gives.`, each: () => 'differs' }],
  ['TG5022', { all: (files) => `${files} generated files belong to no part of the design.`, each: () => 'left over' }],
  [
    'TG6010',
    {
      all: (changes, { place }) => `The MCP server differs from ${place?.file} in ${changes} ways.`,
      each: ({ message }) => message,
      byFile: true,
    },
  ],
])

/** The same findings, with those that differ in the same way under one heading and one next step. */
export function withDriftGrouped(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.flatMap((diagnostic) => {
    const { code, severity, next } = diagnostic
    const group = groups.get(code)
    if (group === undefined) return [diagnostic]
    const members = diagnostics.filter(
      (other) => other.code === code && (group.byFile !== true || other.place?.file === diagnostic.place?.file),
    )
    if (members.length < 2) return [diagnostic]
    if (members[0] !== diagnostic) return []
    const related = members.map((member) => ({
      message: group.each(member),
      ...(member.place !== undefined && { place: member.place }),
    }))
    return [{ code, severity, message: group.all(members.length, diagnostic), related, next }]
  })
}
