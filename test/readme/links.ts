/** A link to a file of the repository or to a heading. */
export interface Link {
  /** File name and line of the link, for example `docs/layers.md:12`. */
  readonly place: string
  /** Path as written; empty for a link to the same page. */
  readonly path: string
  /** Anchor of a heading. `undefined` for a link to a whole file. */
  readonly anchor: string | undefined
}

/** Returns the links of a Markdown page, except links to other sites and links in code. */
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

/** Returns the anchors of a page on GitHub. */
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

/** Removes the contents of code blocks. The number of lines does not change. */
function withoutBlocks(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, (block) => block.replaceAll(/[^\n]/g, ''))
}
