import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { foundAt } from '../evaluate/found-at.js'
import { markInstallation, markPackages } from '../warm/package-marks.js'
import { readModule } from '../warm/pure-modules.js'
import { moduleName } from './watched-folders.js'

/** The files that decide what the imports of modules give: records of package managers, manifests, linked packages. */
export type FindInstalled = (root: string, modules: readonly string[], tsconfig?: string) => readonly string[]

/** Finds them; the files of linked packages are listed again only when other packages are imported. */
export function installedFiles(): FindInstalled {
  let last: { readonly names: string; readonly files: readonly string[] } | undefined
  return (root, modules, tsconfig) => {
    const names = [...new Set(modules.flatMap((file) => packagesOf(file)))].sort()
    const key = [root, ...names].join('\n')
    const files = last?.names === key ? last.files : codeOf(root, names)
    last = { names: key, files }
    const records = markInstallation(root).map(({ path }) => path)
    return [...records, ...files, ...(tsconfig === undefined ? [] : [join(root, tsconfig)])]
  }
}

/** Of a linked package what can be imported and its manifest, not its documents. */
function codeOf(root: string, names: readonly string[]): readonly string[] {
  const marks = markPackages(root, names) ?? []
  return marks.map(({ path }) => path).filter((path) => moduleName.test(path))
}

function packagesOf(file: string): readonly string[] {
  if (file.endsWith('.json') || foundAt(file)?.isFile() !== true) return []
  return readModule(readFileSync(file, 'utf8'), isBuiltin).packages
}
