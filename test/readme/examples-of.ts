/** Code example of a document. */
export interface Example {
  /** File name and first line, for example `layers.md:12`. */
  readonly place: string
  readonly code: string
  /** Expected output: the text block directly after the code. `undefined` without such a block. */
  readonly prints: string | undefined
}

/** Returns the TypeScript examples of a document, in their order. */
export function examplesOf(document: string, text: string): readonly Example[] {
  const blocks = text.matchAll(/^```ts\n([\s\S]*?)\n```$(?:\n\n^```text\n([\s\S]*?)\n```$)?/gm)
  return [...blocks].map((block) => ({
    place: `${document}:${text.slice(0, block.index).split('\n').length + 1}`,
    code: block[1] ?? '',
    prints: block[2],
  }))
}

/** Returns the code blocks that begin with a comment with a file name, by file name. */
export function filesOf(text: string): Readonly<Record<string, string>> {
  const blocks = text.matchAll(/^```ts\n\/\/ (\S+\.ts)\n([\s\S]*?)\n```$/gm)
  return Object.fromEntries([...blocks].map(([, path = '', code = '']) => [path, code]))
}

/** Returns the languages of the code blocks of a document. */
export function languagesOf(text: string): readonly string[] {
  return [...text.matchAll(/^```(.*)\n[\s\S]*?^```$/gm)].map(([, language = '']) => language)
}

/** Returns an example as a module. Adds an import of the shared names that the example uses and does not declare or import. */
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
