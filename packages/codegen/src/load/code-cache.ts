import { lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import Module, { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { cachedDataVersionTag } from 'node:v8'
import { Script } from 'node:vm'
import { contentHash, isDiskError } from '../files.js'

const require = createRequire(import.meta.url)

/**
 * Does for one CommonJS file what `enableCompileCache` of Node 22 does for all files: loads the file with the compiled code that an earlier process
 * stored. The next `require` of the file returns the loaded module.
 */
export function loadWithCodeCache(file: string): void {
  if ('enableCompileCache' in Module || file in require.cache) return
  const folder = cacheFolder()
  if (folder === undefined) return
  const text = readFileSync(file, 'utf8')
  const cache = join(
    folder,
    [basename(file), contentHash(file).slice(0, 16), text.length, cachedDataVersionTag()].join('-'),
  )
  const cachedData = attempt(() => readFileSync(cache))
  const script = new Script(Module.wrap(text), { filename: file, ...(cachedData && { cachedData }) })
  const module = new Module(file)
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file))
  module.loaded = true
  require.cache[file] = module
  if (cachedData !== undefined && script.cachedDataRejected !== true) return
  // At the end, because the code then contains all functions that this process has called.
  process.once('exit', () => {
    attempt(() => {
      writeFileSync(`${cache}.${process.pid}`, script.createCachedData())
      renameSync(`${cache}.${process.pid}`, cache)
    })
  })
}

/** Has the same environment variables as the cache of Node. `undefined` if another user could write into the folder. */
function cacheFolder(): string | undefined {
  const { NODE_DISABLE_COMPILE_CACHE: disabled, NODE_COMPILE_CACHE: chosen } = process.env
  if (disabled) return undefined
  const user = process.getuid?.()
  const folder = chosen || join(tmpdir(), `toolgen-code-cache-${user ?? ''}`)
  return attempt(() => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { uid, mode } = lstatSync(folder)
    return user === undefined || (uid === user && (mode & 0o022) === 0) ? folder : undefined
  })
}

/** The cache is optional, so an error of the file system is ignored. */
function attempt<Value>(step: () => Value): Value | undefined {
  try {
    return step()
  } catch (error) {
    if (!isDiskError(error)) throw error
    return undefined
  }
}
