import { createHash, randomUUID } from 'node:crypto'
import { chmod, link, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { isFields } from '../schema/json-values.js'
import type { JsonObject } from '../types/json.js'

/**
 * Stores the tokens of one user. Values are opaque JSON objects and contain secrets. Keys are opaque strings: one key for each MCP server, and one
 * key for each login that was started but not finished.
 *
 * @example
 * const storeOf = (user: string): TokenStore => ({
 *   get: (key) => db.tokens.read(user, key),
 *   set: (key, value) => db.tokens.write(user, key, value),
 *   delete: (key) => db.tokens.remove(user, key),
 * })
 */
export interface TokenStore {
  /** Returns the value of a key, or `undefined` if the key has no value. */
  get(key: string): Promise<JsonObject | undefined> | JsonObject | undefined
  /** Stores a value for a key. The new value replaces an earlier value. */
  set(key: string, value: JsonObject): Promise<unknown> | unknown
  /** Removes the value of a key. Does nothing if the key has no value. */
  delete(key: string): Promise<unknown> | unknown
  /**
   * Runs `work` while no other process runs work for the same key. Returns the result of `work`. If the store has no method `lock`, `work` runs
   * immediately. Several processes can then use the same refresh token, which some authorization servers treat as theft.
   */
  lock?<Result>(key: string, work: () => Promise<Result>): Promise<Result>
}

/**
 * Creates a token store in the memory of this process.
 *
 * @example
 * const auth = oauth({ store: memoryTokenStore(), login: loopbackLogin() })
 */
export function memoryTokenStore(): TokenStore {
  const values = new Map<string, JsonObject>()
  return {
    get: (key) => values.get(key),
    set: (key, value) => values.set(key, value),
    delete: (key) => values.delete(key),
  }
}

/** Options for `fileTokenStore`. */
export interface FileTokenStoreOptions {
  /**
   * Folder of the store. Default: `toolgen/tokens` in the user's configuration folder. The configuration folder is `$XDG_CONFIG_HOME`, `%APPDATA%`
   * on Windows, or `~/.config`.
   */
  readonly path?: string
}

/**
 * Creates a token store in a folder that only the current user can read, with one file per key. The store replaces files as a whole. Several
 * processes can use the folder at the same time. On Windows, the folder has the access rights of its parent folder.
 *
 * @example
 * const auth = oauth({ store: fileTokenStore(), login: loopbackLogin() })
 */
export function fileTokenStore({ path = defaultFolder() }: FileTokenStoreOptions = {}): TokenStore {
  const fileOf = (key: string): string => join(path, `${createHash('sha256').update(key).digest('hex')}.json`)
  const makeFolder = async (): Promise<void> => {
    await mkdir(path, { recursive: true, mode: 0o700 })
    // The folder may be older than its tokens.
    await chmod(path, 0o700)
  }
  return {
    get: async (key) => {
      const file = fileOf(key)
      const text = await readFile(file, 'utf8').catch((error: unknown) => {
        if (hasCode(error, 'ENOENT')) return undefined
        throw error
      })
      return text === undefined ? undefined : valueIn(text, file, key)
    },
    set: async (key, value) => {
      await makeFolder()
      const file = fileOf(key)
      const temporary = `${file}.${randomUUID()}`
      try {
        await writeNew(temporary, JSON.stringify({ key, value }))
        await rename(temporary, file)
      } finally {
        await rm(temporary, { force: true })
      }
    },
    delete: (key) => rm(fileOf(key), { force: true }),
    lock: async (key, work) => {
      await makeFolder()
      const release = await lockFile(`${fileOf(key)}.lock`)
      try {
        return await work()
      } finally {
        await release()
      }
    },
  }
}

function defaultFolder(): string {
  const { XDG_CONFIG_HOME, APPDATA } = process.env
  const configuration = XDG_CONFIG_HOME || (process.platform === 'win32' && APPDATA) || join(homedir(), '.config')
  return join(configuration, 'toolgen', 'tokens')
}

function valueIn(text: string, file: string, key: string): JsonObject {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    // The error would quote the text.
  }
  // The value was parsed from JSON.
  if (isFields(content) && content.key === key && isFields(content.value)) return content.value as JsonObject
  throw new TypeError(`the token file ${file} is damaged. Delete it and log in again`)
}

async function writeNew(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const LOCK_RETRY_MS = 50

/**
 * All attempts together take about 120 s. A process normally keeps a lock for one request, at most about 30 s, and therefore does not lose its lock.
 */
const LOCK_TRIES = 2_400

async function lockFile(file: string): Promise<() => Promise<void>> {
  const own = `${process.pid} ${randomUUID()}`
  let other: string | undefined
  for (let tries = 0; ; tries += 1) {
    try {
      await writeNew(file, own)
      return () => rm(file, { force: true })
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
    }
    const owner = await ownerOf(file)
    if (owner !== other) tries = 0
    other = owner
    if (owner !== undefined && (tries > LOCK_TRIES || !isRunning(owner))) {
      const removed = `${file}.${randomUUID()}`
      await rename(file, removed).catch(() => undefined)
      // Another process may have replaced the abandoned file by its own lock in the meantime.
      if ((await ownerOf(removed)) !== owner) await link(removed, file).catch(() => undefined)
      await rm(removed, { force: true })
    } else await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS))
  }
}

function ownerOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined)
}

function isRunning(owner: string): boolean {
  const [pid = ''] = owner.split(' ')
  // The process has not written its id yet.
  if (pid === '') return true
  try {
    process.kill(Number(pid), 0)
    return true
  } catch (error) {
    return !hasCode(error, 'ESRCH')
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
