import { readdirSync } from 'node:fs'
import { dirname, extname, isAbsolute, resolve } from 'node:path'
import { nearest } from '../diagnostics/near.js'

const moduleFile: RegExp = /(?<!\.d)\.([cm]?)[jt]sx?$/

const packageName: RegExp = /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*$/i

/** What to do about an import of a module that is not there. */
export function stepForMissing(specifier: string, near: readonly string[]): string {
  if (!isFileSpecifier(specifier)) {
    const name = packageOf(specifier)
    return packageName.test(name)
      ? `Correct the import, or install the package: npm install --save-dev ${name}`
      : 'Correct the import, or the mapping that its path relies on.'
  }
  return near[0] === undefined
    ? 'Correct the import: there is no such file, nor one of a similar name beside it.'
    : `Correct the import. Did you mean \`${near[0]}\`?`
}

/**
 * The modules beside a missing one whose names are near, as the import would write them.
 *
 * @param importer the module with the import: absolute
 */
export function nearModules(specifier: string, importer: string): readonly string[] {
  if (!isFileSpecifier(specifier)) return []
  const target = resolve(dirname(importer), specifier)
  const extension = extname(target)
  const wanted = stemOf(target)
  const stems = new Map(
    namesIn(dirname(target))
      .filter((name) => moduleFile.test(name))
      .map((name) => [stemOf(name), name.replace(moduleFile, '.$1js')]),
  )
  const folder = specifier.slice(0, specifier.lastIndexOf('/') + 1)
  return nearest(wanted, stems.keys()).map((stem) => `${folder}${extension === '' ? stem : (stems.get(stem) ?? stem)}`)
}

function isFileSpecifier(specifier: string): boolean {
  return specifier.startsWith('.') || isAbsolute(specifier)
}

/** `@scope/name/part` → `@scope/name` */
function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

function stemOf(file: string): string {
  const name = file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1)
  return name.replace(moduleFile, '')
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    // The folder is missing as well: then nothing is near.
    return []
  }
}
