import { ownText } from '../files.js'

/** The explanation of a diagnostic, which `toolgen explain` prints and the docs list. */
export interface CatalogueEntry {
  /** Short heading of the explanation. */
  readonly title: string
  readonly cause: string
  /** The fix, in a few sentences; code is indented by four spaces. */
  readonly fix: string
}

/** Code of a diagnostic → its explanation, parsed from `diagnostics.md` of this package. */
export const catalogue: Readonly<Record<`TG${number}`, CatalogueEntry>> = parse(ownText('diagnostics.md'))

function parse(markdown: string): Readonly<Record<string, CatalogueEntry>> {
  const [, ...sections] = markdown.split('\n## ')
  return Object.fromEntries(
    sections.map((section) => {
      const [, code = '', title = '', cause = '', fix = ''] =
        /^(TG\d{4}): ([^\n]+)\n\n(.+)\n\nWhat to do: (.+)$/s.exec(section.trimEnd()) ?? []
      return [code, { title, cause, fix }]
    }),
  )
}
