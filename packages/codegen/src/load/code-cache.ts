import { createHash, randomUUID } from 'node:crypto'
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import Module, { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { cachedDataVersionTag } from 'node:v8'
import { Script } from 'node:vm'
import { isDiskError } from '../files.js'

const require = createRequire(import.meta.url)

/**
 * Does for one CommonJS file what `enableCompileCache` of Node 22 does for all files: loads the file with the compiled code that an earlier process
 * stored. The next `require` of the file returns the loaded module.
 */
export function loadWithCodeCache(file: string): void {
  if ('enableCompileCache' in Module || file in require.cache) return
  const folder = cacheFolder()
  if (folder === undefined) return
  const bytes = readFileSync(file)
  // V8 only compares the length of the text.
  const cache = join(
    folder,
    `${basename(file)}-${digest(bytes).toString('hex').slice(0, 32)}-${cachedDataVersionTag()}`,
  )
  const cachedData = readCode(cache)
  const script = new Script(Module.wrap(bytes.toString('utf8')), {
    filename: file,
    ...(cachedData !== undefined && { cachedData }),
  })
  const module = new Module(file)
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file))
  module.loaded = true
  require.cache[file] = module
  if (cachedData !== undefined && script.cachedDataRejected !== true) return
  // At the end, because the code then contains all functions that this process has called.
  process.once('exit', () => writeCode(cache, script.createCachedData()))
}

function digest(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}

const digestLength = 32

/** The file starts with a digest, because damaged code can crash the process. */
function readCode(cache: string): Buffer | undefined {
  const bytes = attempt(() => readFileSync(cache))
  const code = bytes?.subarray(digestLength)
  return code !== undefined && bytes?.subarray(0, digestLength).equals(digest(code)) ? code : undefined
}

function writeCode(cache: string, code: Buffer): void {
  const temporary = `${cache}.${randomUUID()}`
  const isWritten = attempt(() => {
    writeFileSync(temporary, Buffer.concat([digest(code), code]))
    renameSync(temporary, cache)
    return true
  })
  if (isWritten !== true) attempt(() => rmSync(temporary, { force: true }))
}

/** Has the same environment variables as the cache of Node. `undefined` if another user could write into the folder. */
function cacheFolder(): string | undefined {
  const { NODE_DISABLE_COMPILE_CACHE: disabled, NODE_COMPILE_CACHE: chosen } = process.env
  if (disabled) return undefined
  const user = process.getuid?.()
  const folder = chosen || join(tmpdir(), `toolgen-code-cache-${user ?? ''}`)
  // Not recursive in the folder for temporary files: this folder must exist, and some folders, such as `/proc`, would hang.
  attempt(() => mkdirSync(folder, { recursive: Boolean(chosen), mode: 0o700 }))
  const found = attempt(() => lstatSync(folder))
  if (found?.isDirectory() !== true) return undefined
  return user === undefined || (found.uid === user && (found.mode & 0o022) === 0) ? folder : undefined
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
