/** An example of a document. */
export interface Example {
  /** Where it begins, as the document's name and line, e.g. `layers.md:12`. */
  readonly place: string
  readonly code: string
  /** What it prints, where the document shows it: the block of text right after the code. */
  readonly prints: string | undefined
}

/** The TypeScript examples of a document, in their order. */
export function examplesOf(document: string, text: string): readonly Example[] {
  const blocks = text.matchAll(/^```ts\n([\s\S]*?)\n```$(?:\n\n^```text\n([\s\S]*?)\n```$)?/gm)
  return [...blocks].map((block) => ({
    place: `${document}:${text.slice(0, block.index).split('\n').length + 1}`,
    code: block[1] ?? '',
    prints: block[2],
  }))
}

/** The blocks of a document that begin with a comment which names a file, by that file. */
export function filesOf(text: string): Readonly<Record<string, string>> {
  const blocks = text.matchAll(/^```ts\n\/\/ (\S+\.ts)\n([\s\S]*?)\n```$/gm)
  return Object.fromEntries([...blocks].map(([, path = '', code = '']) => [path, code]))
}

/** The languages of a document's blocks. */
export function languagesOf(text: string): readonly string[] {
  return [...text.matchAll(/^```(.*)\n[\s\S]*?^```$/gm)].map(([, language = '']) => language)
}

/** An example as a module: with an import of the shared names that it uses and does not declare or import. */
export function moduleOf(code: string, shared: readonly string[], from: string): string {
  const used = shared.filter(
    (name) =>
      new RegExp(`(?<![\\w.'])${name}\\b(?!:)`).test(code) &&
      !new RegExp(`(?:const|let|class|function|interface|type) ${name}\\b|^import \\{[^}]*\\b${name}\\b`, 'm').test(
        code,
      ),
  )
  return used.length === 0 ? `${code}\nexport {}\n` : `import { ${used.join(', ')} } from '${from}'\n${code}\n`
}
