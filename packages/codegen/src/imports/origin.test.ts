import { describe, expect, it } from 'vitest'
import { fillOrigin, type McpOrigin, readOrigin, secretIn } from './origin.js'

const started = (...command: readonly string[]): McpOrigin => ({ command })

describe('where a server is', () => {
  it.each([
    [{ url: 'https://a.example/mcp' }, { url: 'https://a.example/mcp' }],
    [
      { url: 'https://a.example/mcp', headers: { 'x-key': '${KEY}' } },
      { url: 'https://a.example/mcp', headers: { 'x-key': '${KEY}' } },
    ],
    [{ url: 'https://a.example/mcp', headers: { 'x-key': 'two\nlines' } }, undefined],
    [{ url: 'https://a.example/mcp', headers: { 'x-key': '' } }, undefined],
    [{ url: 'https://a.example/mcp', headers: { 'x key': 'KEY' } }, undefined],
    [{ url: 'https://a.example/mcp', headers: ['KEY'] }, undefined],
    [{ command: ['npx', 'server'] }, started('npx', 'server')],
    [{ command: [] }, undefined],
    [{ command: ['npx', 1] }, undefined],
    [{ command: 'npx server' }, undefined],
    [undefined, undefined],
    ['npx', undefined],
  ])('is read from %j', (recorded, origin) => {
    expect(readOrigin(recorded)).toEqual(origin)
  })

  it('has its variables filled in, and taken out of messages again', () => {
    const origin = { url: 'https://${HOST}/mcp?key=${KEY}', headers: { authorization: 'Bearer ${TOKEN}' } }
    const filled = fillOrigin(origin, { HOST: 'a.example', KEY: 's3cret', TOKEN: 's3cret-too\n' })
    if ('missing' in filled) throw new Error('nothing is missing')
    expect(filled.origin).toEqual({
      url: 'https://a.example/mcp?key=s3cret',
      headers: { authorization: 'Bearer s3cret-too' },
    })
    expect(filled.hide('wrong: Bearer s3cret-too')).toBe('wrong: Bearer ${TOKEN}')
    expect(filled.hide('no answer of https://a.example/mcp?key=s3cret')).toBe(
      'no answer of https://${HOST}/mcp?key=${KEY}',
    )
  })

  it('is not known where variables are missing', () => {
    expect(fillOrigin(started('x', '${A}', '--b=${B}', '${A}'), { B: '' })).toEqual({ missing: ['A', 'B'] })
    expect(fillOrigin({ url: 'http://a', headers: { x: '${A} ${B}' } }, { A: 'a', B: '\n' })).toEqual({
      missing: ['B'],
    })
  })
})

describe('a secret in where a server is', () => {
  it.each<[McpOrigin, string | undefined]>([
    [started('npx', 'server', '.'), undefined],
    [started('npx', 'server', '--api-key', 'abc'), 'api-key'],
    [started('npx', 'server', '--apiKey=abc'), 'apiKey'],
    [started('env', 'GITHUB_TOKEN=abc', 'server'), 'GITHUB_TOKEN'],
    [started('npx', 'remote', '--header', 'Authorization: Bearer abc'), 'Authorization'],
    [started('npx', 'postgres', 'postgres://me:abc@db/shop'), 'password'],
    [{ url: 'https://a.example/mcp?access_token=abc' }, 'access_token'],
    [{ url: 'https://me:abc@a.example/mcp' }, 'password'],
    [{ url: 'https://a.example/mcp?profile=abc' }, undefined],
    [{ url: 'https://0123456789abcdef@a.example/mcp' }, 'user'],
    [started('npx', 'remote', '--header=Authorization: Bearer abc'), 'Authorization'],
    [started('env', 'DATABASE_URL=postgres://me:abc@db/shop', 'server'), 'password'],
    [started('npx', 'postgres', '--dsn=postgres://me:abc@db/shop'), 'password'],
    [started('npx', 'github', '--pat', 'abc'), 'pat'],
    [started('npx', 'server', 'sk-0123456789abcdef'), 'sk-0...'],
    [started('git', 'ssh://git@a.example/repo'), undefined],
    [started('env', 'DATABASE_URL=postgres://me:${PASSWORD}@db/shop', 'server'), undefined],
    [started('npx', 'server', '--api-key', '${KEY}'), undefined],
    [started('npx', 'remote', '--header', 'Authorization: Bearer ${KEY}'), undefined],
    [started('npx', 'postgres', 'postgres://me:${PASSWORD}@db/shop'), undefined],
    [{ url: 'https://a.example/mcp?access_token=${TOKEN}' }, undefined],
    [{ url: 'https://a.example/mcp', headers: { authorization: 'Bearer abc' } }, 'authorization'],
    [{ url: 'https://a.example/mcp', headers: { cookie: 'id=abc' } }, 'cookie'],
    [{ url: 'https://a.example/mcp', headers: { 'x-proxy': 'http://me:abc@proxy' } }, 'x-proxy'],
    [{ url: 'https://a.example/mcp', headers: { 'x-github': 'token ghp_0123456789abcdef' } }, 'x-github'],
    [{ url: 'https://a.example/mcp', headers: { authorization: 'Bearer ${TOKEN}', 'x-tenant': 'acme' } }, undefined],
    [started('server', '--auth', '--verbose'), undefined],
    [started('monkey', '--keyboard', 'de', '--tokenizer=x'), undefined],
  ])('%j: %j', (origin, name) => {
    expect(secretIn(origin)).toBe(name)
  })
})
