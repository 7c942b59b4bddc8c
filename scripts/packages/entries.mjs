import { posix } from 'node:path'

const statement = /^(?:import|export) (?:[\w$\s,{}*]+ from )?['"]([^'"]+)['"]/gm

/**
 * Returns the entries in `exports` of a packed package: number and bytes of the modules of the package that an import loads, and names of other
 * packages that are needed: by the import in Node, by functions that import them on demand, by threads, and by the type checker.
 */
export function entriesOf({ name, manifest, files }) {
  return Object.entries(manifest.exports)
    .filter(([, target]) => typeof target === 'object')
    .map(([subpath, target]) => {
      const modules = reached(files, target.default)
      const declarations = reached(files, target.types)
      const chosen = chosenBy(files, modules.own).filter((needed) => !modules.packages.includes(needed))
      const threads = modules.own.flatMap((path) =>
        [...files.get(path).matchAll(thread)].flatMap(([, module]) => packagesOfThread(files, besides(path, module))),
      )
      return {
        entry: posix.join(name, subpath),
        conditions: Object.keys(target),
        modules: modules.own.length,
        bytes: modules.own.reduce((sum, path) => sum + Buffer.byteLength(files.get(path)), 0),
        peers: [...modules.packages, ...chosen, ...threads]
          .sort()
          .filter((needed) => manifest.peerDependencies?.[needed] !== undefined && !needed.startsWith('@toolgen/')),
        needs: modules.packages,
        functionsNeed: chosen,
        threadsNeed: threads.sort(),
        typesNeed: declarations.packages,
      }
    })
}

/** Returns the paths in `exports` that the package does not contain. */
export function missingTargets({ manifest, files }) {
  return Object.values(manifest.exports)
    .flatMap((target) => (typeof target === 'string' ? [target] : Object.values(target)))
    .filter((path) => !files.has(plain(path)))
}

/** Matches the URL of a module that runs in a thread or a process. */
const thread = /new URL\('(\.\/[^']+\.js)', import\.meta\.url\)/g

const onDemand = /\bimport\(['"]([^'"./][^'"]*)['"]\)/g

/** Returns the names of the packages that a thread imports, including those that it imports on demand. */
function packagesOfThread(files, start) {
  const { own, packages } = reached(files, start)
  return [...new Set([...packages, ...chosenBy(files, own)])]
}

/** Returns the names of the packages that these modules import on demand. */
function chosenBy(files, own) {
  const names = own.flatMap((path) =>
    [...files.get(path).matchAll(onDemand)].map(([, specifier]) => packageOf(specifier)),
  )
  return [...new Set(names.filter((name) => !name.startsWith('node:')))].sort()
}

/** Follows the imports of a file that TypeScript has emitted: each one is at the start of a line. */
function reached(files, start) {
  const own = new Set()
  const packages = new Set()
  const open = [plain(start)]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (own.has(path) || !files.has(path)) continue
    own.add(path)
    for (const [, specifier] of files.get(path).matchAll(statement)) {
      if (specifier.startsWith('.')) open.push(besides(path, specifier))
      else if (!specifier.startsWith('node:')) packages.add(packageOf(specifier))
    }
  }
  return { own: [...own], packages: [...packages].sort() }
}

function besides(path, specifier) {
  const target = posix.join(posix.dirname(path), specifier)
  return path.endsWith('.d.ts') ? target.replace(/\.js$/, '.d.ts') : target
}

const plain = (path) => path.replace(/^\.\//, '')

const packageOf = (specifier) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
