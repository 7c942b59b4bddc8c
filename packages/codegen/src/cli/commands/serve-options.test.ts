import { describe, expect, it } from 'vitest'
import { httpLocation, type ServeOptions } from './serve.js'

describe('where tools are served', () => {
  it('is stdio where nothing speaks of HTTP', () => {
    expect(httpLocation({})).toEqual({ diagnostics: [] })
  })

  it.each<[ServeOptions, object]>([
    [{ http: true }, { port: 3000 }],
    [{ port: '0' }, { port: 0 }],
    [{ path: '/tools' }, { port: 3000, path: '/tools' }],
    [
      { host: '0.0.0.0', allowedHosts: 'a.example, b.example' },
      { port: 3000, host: '0.0.0.0', allowedHosts: ['a.example', 'b.example'] },
    ],
    [{ allowedOrigins: 'https://a.example' }, { port: 3000, allowedOrigins: ['https://a.example'] }],
  ])('is HTTP with %j', (options, value) => {
    expect(httpLocation(options)).toEqual({ value, diagnostics: [] })
  })

  it.each<[ServeOptions, string]>([
    [{ port: '65536' }, '--port must be a port number, not `65536`.'],
    [{ port: '-1' }, '--port must be a port number, not `-1`.'],
    [{ port: '80.5' }, '--port must be a port number, not `80.5`.'],
    [{ port: '' }, '--port must be a port number, not ``.'],
    [{ path: 'mcp' }, '--path must be the path of a URL, not `mcp`.'],
    [{ path: '/mcp?a' }, '--path must be the path of a URL, not `/mcp?a`.'],
    [{ allowedOrigins: 'https://a.example/' }, '`https://a.example/` in --allowed-origins is not an origin.'],
    [{ allowedOrigins: 'a.example' }, '`a.example` in --allowed-origins is not an origin.'],
  ])('cannot be %j', (options, message) => {
    expect(httpLocation(options)).toMatchObject({ diagnostics: [{ code: 'TG0001', severity: 'error', message }] })
  })
})
