import { transformSync } from 'oxc-transform'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { EmittedFile } from '../output/files.js'
import type { EmissionMemory } from './emit-design.js'

/** A syntax error is a bug in the generator. Skips texts that the previous run checked. */
export function checkSyntax(files: readonly EmittedFile[], memory?: EmissionMemory): readonly Diagnostic[] {
  const errors = files.filter(({ path, text }) => memory?.parsed.get(path) !== text).flatMap(syntaxErrors)
  memory?.parsed.clear()
  if (errors.length === 0) for (const { path, text } of files) memory?.parsed.set(path, text)
  return errors
}

function syntaxErrors({ path, text }: EmittedFile): readonly Diagnostic[] {
  // Compiles the text, because this is faster than to receive the syntax tree from the parser.
  return transformSync(path, text).errors.map(({ message, labels }) => {
    // The offset counts the bytes of UTF-8.
    const before = Buffer.from(text)
      .toString('utf8', 0, labels[0]?.start ?? 0)
      .split('\n')
    const location = `${path}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`
    const language = path.endsWith('.js') ? 'JavaScript' : 'TypeScript'
    return {
      code: 'TG9001',
      severity: 'error',
      message: `The generated file ${location} is not valid ${language}: ${message}`,
      next: 'This is a bug in toolgen. Report it with the names and texts of your design.',
    }
  })
}
