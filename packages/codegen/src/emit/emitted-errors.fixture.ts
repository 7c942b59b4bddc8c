import type { CodecLanguage } from '../codecs/code.js'
import type { DesignIr } from '../ir/types.js'
import type { EmittedFile } from '../output/files.js'
import { emitDesign } from './emit-design.js'
import { passingPlans } from './small-design.fixture.js'
import { checkSyntax } from './syntax-gate.js'

const options = { importExtension: '.js', clientImport: (): string => '../../../design/clients.js' }

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

/** Returns an error for each path that a case-insensitive or Unicode-normalizing file system treats as equal to an earlier path. */
function pathErrors(files: readonly EmittedFile[]): readonly string[] {
  const paths = files.map(({ path }) => path.normalize('NFKC').toUpperCase())
  return paths.filter((path, index) => paths.indexOf(path) !== index).map((path) => `two files are called ${path}`)
}

/** Returns an error for each file with an invisible character or an unusual line end. No text of a design may add such a character. */
function layoutErrors(files: readonly EmittedFile[]): readonly string[] {
  return files.flatMap(({ path, text }) => {
    const found = /[^\n\P{Cc}]|[\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|\p{Cs}/u.exec(text)
    return found === null ? [] : [`${path} has U+${found[0].codePointAt(0)?.toString(16)} at ${found.index}`]
  })
}
