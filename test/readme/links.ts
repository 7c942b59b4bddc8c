/** A link of a page to a file of the repository, or to a heading. */
export interface Link {
  /** Where it stands, as the page's name and line, e.g. `docs/layers.md:12`. */
  readonly place: string
  /** The file, as it is written; empty: the page itself. */
  readonly path: string
  /** The heading's anchor; absent: the whole file. */
  readonly anchor: string | undefined
}

/** The links of a page in Markdown, but for those to other sites. Code is no link. */
export function linksOf(page: string, text: string): readonly Link[] {
  return withoutBlocks(text)
    .split('\n')
    .flatMap((line, index) =>
      [...line.replaceAll(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^[a-z]+:/.test(target))
        .map((target) => {
          const [path = '', anchor] = target.split('#')
          return { place: `${page}:${index + 1}`, path, anchor }
        }),
    )
}

/** The anchors that a page has on sites that show Markdown as GitHub does. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of withoutBlocks(text).matchAll(/^#+ (.*)$/gm)) {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
    let number = 0
    while (anchors.has(number === 0 ? anchor : `${anchor}-${number}`)) number += 1
    anchors.add(number === 0 ? anchor : `${anchor}-${number}`)
  }
  return anchors
}

/** The text with as many lines, where blocks of code are empty. */
function withoutBlocks(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, (block) => block.replaceAll(/[^\n]/g, ''))
}
