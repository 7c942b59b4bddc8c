import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { commandContext } from '../run-command.js'
import { openTerminal } from '../terminal.js'
import { run } from './init.js'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'toolgen-questions-'))
})
afterEach(() => rmSync(root, { recursive: true }))

/** Runs the command on a terminal. The user types these lines and then ends the input. */
async function answered(lines: readonly string[], options: Partial<Parameters<typeof run>[0]> = {}) {
  let printed = ''
  const write = (text: string): boolean => {
    printed += text
    return true
  }
  const terminal = openTerminal({ stdout: { write }, stderr: { write } }, { colour: false })
  const input = Object.assign(Readable.from(lines.map((line) => `${line}\n`)), { isTTY: true }) as never
  const context = commandContext('init', {}, { terminal, cwd: root, output: new PassThrough(), input: () => input })
  const code = await run({ server: [], dir: '.', design: 'design', output: 'gen', ...options }, context)
  return { code, printed }
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const importScript = (): string => JSON.parse(read('package.json')).scripts.import

describe('toolgen init on a terminal', () => {
  it('asks for the source and before it writes; empty answers are the defaults', async () => {
    const { code, printed } = await answered(['', ''])
    expect(code).toBe(0)
    expect(printed).toContain('  1  a service client: a class or an object with methods\n  2  an MCP server\n')
    expect(printed).toContain('Number [1]: ')
    expect(printed).toContain('  design/orders.ts\n')
    expect(printed).toContain(`Write these files to ${root}? [Y/n] `)
    expect(read('design/orders.ts')).toContain("defineToolset('orders'")
  })

  it('asks again after an answer that it does not know', async () => {
    const { code, printed } = await answered(['7', 'mcp', '', 'y'])
    expect(code).toBe(0)
    expect(printed).toContain("'7' is not a number from 1 to ")
    expect(importScript()).toBe('toolgen import mcp notes -- node server/notes.mjs')
  })

  it('asks for the command of a server', async () => {
    expect((await answered(['2', 'npx -y "a server" .', ''])).code).toBe(0)
    expect(importScript()).toBe("toolgen import mcp tools -- npx -y 'a server' .")
    expect(read('src/serve.ts')).toContain("stdioCaller({ command: 'npx', args: ['-y', 'a server', '.'] })")
    expect(read('src/serve.ts')).toContain("{ toolsets: { tools: { caller, onDrift: 'fail' } } }")
    expect(readdirSync(root)).not.toContain('server')
  })

  it('accepts the URL of a server, also with variables and after `--`', async () => {
    expect((await answered(['2', 'https://tools.example.com/mcp', ''])).code).toBe(0)
    expect(importScript()).toBe('toolgen import mcp tools --url https://tools.example.com/mcp')
    expect(read('src/serve.ts')).toContain("import { httpCaller } from '@toolgen/runtime/mcp'")
    expect(read('src/serve.ts')).toContain("const caller = httpCaller({ url: 'https://tools.example.com/mcp' })")
    const url = 'https://tools.example.com/mcp?key=${KEY}'
    expect((await answered([], { from: 'mcp', url, dir: 'url', yes: true })).code).toBe(0)
    expect(JSON.parse(read('url/package.json')).scripts.import).toBe(`toolgen import mcp tools --url '${url}'`)
    expect(read('url/src/serve.ts')).toContain("url: `https://tools.example.com/mcp?key=${variable('KEY')}`")
    expect((await answered([], { from: 'mcp', server: [url], dir: 'word', yes: true })).code).toBe(0)
    expect(read('word/package.json')).toBe(read('url/package.json'))
  })

  it('reports a project that exists before it asks', async () => {
    await answered(['', ''])
    const { code, printed } = await answered(['', ''])
    expect(code).toBe(2)
    expect(printed).toMatch(/^error TG0002/)
  })

  it('asks for a document, and reports one that does not exist', async () => {
    writeFileSync(join(root, 'api.yaml'), '')
    const missing = await answered(['3', 'other.yaml', ''], { dir: 'sub' })
    expect(missing.code).toBe(2)
    expect(missing.printed).toContain('The document `other.yaml` does not exist.')
    expect(readdirSync(root)).toEqual(['api.yaml'])
    expect((await answered(['3', 'api.yaml', ''], { dir: 'sub' })).code).toBe(0)
    expect(JSON.parse(read('sub/package.json')).scripts.import).toBe('toolgen import openapi api --from ../api.yaml')
  })

  it('fetches a document to learn whether it names the URL of its API', async () => {
    const documents = new Map([
      ['/with.json', { servers: [{ url: 'https://api.example.com' }] }],
      ['/without.json', {}],
    ])
    const server = createServer(({ url = '' }, response) => {
      const document = documents.get(url)
      response.statusCode = document === undefined ? 404 : 200
      response.end(
        JSON.stringify({ openapi: '3.0.0', info: { title: 'Things', version: '1' }, paths: {}, ...document }),
      )
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const init = (path: string, dir: string) =>
      answered([], { from: 'openapi', document: `${address}${path}`, dir, yes: true })
    expect((await init('/missing.json', 'missing')).code).toBe(0)
    expect(JSON.parse(read('missing/package.json')).scripts.import).toContain(`${address}/missing.json`)
    expect((await init('/with.json', 'with')).code).toBe(0)
    expect(read('with/src/serve.ts')).not.toContain("baseUrl: '")
    expect((await init('/without.json', 'without')).code).toBe(0)
    expect(read('without/src/serve.ts')).toContain("baseUrl: 'https://api.example.com'")
  })

  it('asks nothing about a source that the options name', async () => {
    const { printed } = await answered([''], { from: 'mcp' })
    expect(printed).not.toContain('Number')
    expect(importScript()).toContain('server/notes.mjs')
  })

  it.each([[[]], [['2']], [['1']], [['1', 'n']], [['2', '', 'no']]])(
    'writes nothing if the input ends or the user refuses: %j',
    async (lines) => {
      const { code, printed } = await answered(lines)
      expect({ code, files: readdirSync(root) }).toEqual({ code: 0, files: [] })
      expect(printed).toContain('Nothing was written.')
    },
  )
})
