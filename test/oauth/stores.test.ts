import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fileTokenStore, oauth } from '../../packages/runtime/src/mcp.js'
import { authorizationServer, callerOf, endAll, protectedShop, scriptedLogin, whoami } from './oauth.fixture.js'

const folders: string[] = []

afterEach(async () => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
  await endAll()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolgen-tokens-'))
  folders.push(folder)
  return folder
}

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

describe('fileTokenStore', () => {
  it('writes files that only the user can read, and no others', async () => {
    const folder = join(newFolder(), 'nested', 'tokens')
    const store = fileTokenStore({ path: folder })
    expect(await store.get('a')).toBeUndefined()
    await store.set('a', { tokens: { access_token: 'x' } })
    await store.set('a', { tokens: { access_token: 'y' } })
    await store.set('b', {})
    expect(await store.get('a')).toEqual({ tokens: { access_token: 'y' } })
    expect(modeOf(folder)).toBe('700')
    const files = readdirSync(folder)
    expect(files).toHaveLength(2)
    for (const file of files) expect(modeOf(join(folder, file))).toBe('600')
    await store.delete('a')
    await store.delete('a')
    expect(await store.get('a')).toBeUndefined()
    expect(readdirSync(folder)).toHaveLength(1)
  })

  it('restricts a folder that others can read', async () => {
    const folder = join(newFolder(), 'tokens')
    mkdirSync(folder, { mode: 0o755 })
    await fileTokenStore({ path: folder }).set('a', {})
    expect(modeOf(folder)).toBe('700')
  })

  it('uses the configuration folder of the user', async () => {
    const home = newFolder()
    vi.stubEnv('XDG_CONFIG_HOME', home)
    await fileTokenStore().set('a', {})
    expect(readdirSync(join(home, 'toolgen', 'tokens'))).toHaveLength(1)
  })

  it.each(['{"key":', '{"key":"another","value":{}}', '[]'])(
    'reports a damaged file, without its text: %s',
    async (text) => {
      const folder = newFolder()
      const store = fileTokenStore({ path: folder })
      await store.set('a', {})
      const [file = ''] = readdirSync(folder)
      writeFileSync(join(folder, file), text)
      await expect(async () => store.get('a')).rejects.toThrow(
        `the token file ${join(folder, file)} is damaged. Delete it and log in again`,
      )
    },
  )

  it('runs the work of one process after that of another, also if one of them was killed', async () => {
    const folder = newFolder()
    const counter = join(folder, 'counter')
    writeFileSync(counter, '0')
    // A process that is killed while it has the lock.
    await counting(folder, counter, 1, true)
    await Promise.all([1, 2, 3].map(() => counting(folder, counter, 20)))
    expect(readFileSync(counter, 'utf8')).toBe('60')
    expect(readdirSync(folder).filter((name) => name.includes('.lock'))).toEqual([])
  })

  it('lets several processes share one refresh', async () => {
    const folder = newFolder()
    const { issuer, requests } = await authorizationServer()
    const { url } = await protectedShop(issuer)
    // Each stands for a process: they share only the folder.
    const logins = [scriptedLogin(), scriptedLogin(), scriptedLogin()]
    const callers = logins.map((login) =>
      callerOf({ url, auth: oauth({ login, store: fileTokenStore({ path: folder }) }) }),
    )
    for (const caller of callers) expect(await whoami(caller)).toBe('ada')
    expect(logins.map(({ opened }) => opened.length)).toEqual([1, 0, 0])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 3_600_000 })
    expect(await Promise.all(callers.map(whoami))).toEqual(['ada', 'ada', 'ada'])
    expect(logins.map(({ opened }) => opened.length)).toEqual([1, 0, 0])
    expect(requests.filter((request) => request === 'POST /token')).toHaveLength(2)
  })
})

/** Runs a process that increments the number in a file under a lock, several times. Resolves at its end. */
function counting(folder: string, counter: string, times: number, dies = false): Promise<void> {
  const program = `
    import { readFileSync, writeFileSync } from 'node:fs'
    import { fileTokenStore } from ${JSON.stringify(new URL('../../packages/runtime/dist/mcp.js', import.meta.url).href)}
    const store = fileTokenStore({ path: ${JSON.stringify(folder)} })
    for (let time = 0; time < ${times}; time += 1) {
      await store.lock('a', async () => {
        if (${dies}) process.kill(process.pid, 'SIGKILL')
        const count = Number(readFileSync(${JSON.stringify(counter)}, 'utf8'))
        await new Promise((resolve) => setImmediate(resolve))
        writeFileSync(${JSON.stringify(counter)}, String(count + 1))
      })
    }`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' })
  return new Promise((resolve) => child.once('close', () => resolve()))
}
