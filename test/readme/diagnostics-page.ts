import { catalogue } from '../../packages/codegen/src/cli/catalogue.js'

/** Subjects by the first digit of a code. */
const rooms: Readonly<Record<string, string>> = {
  0: 'The command line',
  1: 'The configuration',
  2: 'The design',
  3: 'Schemas',
  4: 'Services and their clients',
  5: 'Generated files',
  6: 'Imports',
  7: 'Serving',
  8: 'Contracts',
  9: 'Bugs in toolgen',
}

const head = `# Diagnostics

Every diagnostic of \`toolgen\` has a code. This page explains the cause of each code and what to do. \`toolgen explain CODE\`
prints the same text. [The command line](cli.md#output) describes the output format of diagnostics.

After an error, \`toolgen generate\` writes no files. After warnings and notes, the command writes the files. Most notes explain why a tool needs a
[mapper](services.md#in-the-application), a function of your program that converts payloads (TG41..) or results and updates (TG42..).

The packages of toolgen are not in a registry yet. Where a fix installs a package \`@toolgen/...\`, install the
[packed tarballs](../README.md#your-own-project) instead.

This page is generated from \`packages/codegen/diagnostics.md\`.`

/** Returns `docs/diagnostics.md`: tables of all codes by subject, then each code with its cause and fix. */
export function diagnosticsPage(): string {
  const entries = Object.entries(catalogue).sort(([a], [b]) => (a < b ? -1 : 1))
  const sections = Object.entries(rooms).flatMap(([digit, title]) => {
    const own = entries.filter(([code]) => code.startsWith(`TG${digit}`))
    if (own.length === 0) return []
    const rows = own.map(([code, entry]) => `| [${code}](#${code.toLowerCase()}) | ${entry.title} |`)
    const details = own.map(
      ([code, { title, cause, fix }]) => `### ${code}\n\n**${title}**\n\n${cause}\n\nWhat to do: ${fix}`,
    )
    return [`## ${title}`, ['| Code | Title |', '|---|---|', ...rows].join('\n'), ...details]
  })
  return `${[head, ...sections].join('\n\n')}\n`
}
