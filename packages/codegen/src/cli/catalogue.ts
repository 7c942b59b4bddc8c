import { ownText } from '../files.js'

export interface CatalogueEntry {
  readonly title: string
  readonly cause: string
  /** Lines of code are indented by four spaces. */
  readonly fix: string
}

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
