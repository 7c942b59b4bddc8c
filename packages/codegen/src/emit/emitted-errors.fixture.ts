import type { CodecLanguage } from '../codecs/code.js'
import type { DesignIr } from '../ir/types.js'
import type { EmittedFile } from '../output/files.js'
import { emitDesign } from './emit-design.js'
import { passingPlans } from './small-design.fixture.js'
import { checkSyntax } from './syntax-gate.js'

const options = { importExtension: '.js', clientImport: (): string => '../../../design/clients.js' }

/**
 * Emits a design with codecs in one of the two languages. Returns the errors in the emitted files; every design must be emitted without
 * errors.
 */
export async function errorsOf(
  design: DesignIr,
  codecs: CodecLanguage = 'ts',
): Promise<{ readonly files: readonly EmittedFile[]; readonly errors: readonly string[] }> {
  let files: readonly EmittedFile[]
  try {
    files = emitDesign(design, passingPlans(design), { ...options, codecs })
  } catch (error) {
    return { files: [], errors: [`thrown: ${error instanceof Error ? error.stack : String(error)}`] }
  }
  const syntax = checkSyntax(files)
  return { files, errors: [...syntax.map(({ message }) => message), ...pathErrors(files), ...layoutErrors(files)] }
}

/** Returns paths that some file system would treat as equal. */
function pathErrors(files: readonly EmittedFile[]): readonly string[] {
  const paths = files.map(({ path }) => path.normalize('NFKC').toUpperCase())
  return paths.filter((path, index) => paths.indexOf(path) !== index).map((path) => `two files are called ${path}`)
}

/** Returns invisible characters and line ends that no text of a design may add to a file. */
function layoutErrors(files: readonly EmittedFile[]): readonly string[] {
  return files.flatMap(({ path, text }) => {
    const found = /[^\n\P{Cc}]|[\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|\p{Cs}/u.exec(text)
    return found === null ? [] : [`${path} has U+${found[0].codePointAt(0)?.toString(16)} at ${found.index}`]
  })
}
