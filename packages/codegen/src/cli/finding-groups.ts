import type { Diagnostic } from '../diagnostics/diagnostic.js'

/** What several findings of one kind have in common, and what each is, which stands after its place. */
interface Group {
  readonly all: (found: number, first: Diagnostic) => string
  readonly each: (finding: Diagnostic) => string
  /** Whether only findings in one file belong together. */
  readonly byFile?: boolean
}

const said = ({ message }: Diagnostic): string => message

const groups: ReadonlyMap<string, Group> = new Map<string, Group>([
  ['TG5020', { all: (files) => `${files} generated files are missing.`, each: () => 'missing' }],
  ['TG5021', { all: (files) => `${files} generated files are not what the design gives.`, each: () => 'differs' }],
  ['TG5022', { all: (files) => `${files} generated files belong to no part of the design.`, each: () => 'left over' }],
  ['TG6002', { all: (tools) => `${tools} tools are listed more than once.`, each: said }],
  [
    'TG6003',
    { all: (tools) => `${tools} tools are left out, because their arguments cannot be described.`, each: said },
  ],
  ['TG6004', { all: (tools) => `The results of ${tools} tools may be any JSON.`, each: said }],
  ['TG6005', { all: (tools) => `${tools} tools have no description.`, each: said }],
  ['TG6006', { all: (tools) => `Models see ${tools} tools under other names than their own.`, each: said }],
  [
    'TG6010',
    {
      all: (changes, { place }) => `The MCP server differs from ${place?.file} in ${changes} ways.`,
      each: said,
      byFile: true,
    },
  ],
  [
    'TG6012',
    { all: (tools) => `The server runs ${tools} tools as tasks alone, and will refuse their calls.`, each: said },
  ],
  ['TG6013', { all: (tools) => `Defaults of ${tools} tools are left out.`, each: said }],
  ['TG6014', { all: (tools) => `${tools} tools of the list have no name and are left out.`, each: said }],
  // The last of them may stand for many.
  ['TG6021', { all: () => 'Entries that are no functions are left out.', each: said }],
  ['TG6022', { all: (tools) => `${tools} functions have the name of another one.`, each: said }],
  ['TG6202', { all: (operations) => `${operations} operations are left out.`, each: said }],
  [
    'TG6203',
    { all: (references) => `${references} references lead to other documents, which are not fetched.`, each: said },
  ],
  ['TG6204', { all: (operations) => `${operations} operations have no \`operationId\`.`, each: said }],
  ['TG6205', { all: (operations) => `${operations} operations have the \`operationId\` of another one.`, each: said }],
  ['TG6206', { all: (fields) => `${fields} parameters and fields have other names in their tools.`, each: said }],
  ['TG6208', { all: (patterns) => `${patterns} patterns are left out.`, each: said }],
  ['TG6209', { all: (parts) => `${parts} parameters and bodies are left out.`, each: said }],
  ['TG6210', { all: (integers) => `${integers} integers are rounded.`, each: said }],
  ['TG6211', { all: (keys) => `${keys} keys stand more than once; the last of each counts.`, each: said }],
  [
    'TG6212',
    { all: (texts) => `${texts} parameters, bodies and answers are text whose schema is not used.`, each: said },
  ],
  ['TG6213', { all: (schemes) => `${schemes} ways to prove who asks are not known to toolgen.`, each: said }],
  ['TG6214', { all: (parameters) => `${parameters} parameters have a style that OpenAPI has not there.`, each: said }],
  ['TG6215', { all: (variants) => `No value fits ${variants} variants of unions.`, each: said }],
  ['TG6023', { all: (examples) => `${examples} examples are left out.`, each: said }],
])

/** The same findings, with those of one kind under one heading and one next step. */
export function grouped(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const keyOf = ({ code, place }: Diagnostic): string =>
    groups.get(code)?.byFile === true ? `${code} ${place?.file}` : code
  const byKey = new Map<string, Diagnostic[]>()
  for (const diagnostic of diagnostics) {
    const members = byKey.get(keyOf(diagnostic))
    if (members === undefined) byKey.set(keyOf(diagnostic), [diagnostic])
    else members.push(diagnostic)
  }
  return diagnostics.flatMap((diagnostic) => {
    const { code, severity, next } = diagnostic
    const group = groups.get(code)
    if (group === undefined) return [diagnostic]
    const members = byKey.get(keyOf(diagnostic)) ?? []
    if (members.length < 2) return [diagnostic]
    if (members[0] !== diagnostic) return []
    const related = members.map((member) => ({
      message: group.each(member),
      ...(member.place !== undefined && { place: member.place }),
    }))
    return [{ code, severity, message: group.all(members.length, diagnostic), related, next }]
  })
}
