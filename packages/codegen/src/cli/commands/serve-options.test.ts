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
    [{ port: '65536' }, '--port is `65536`, which is no port.'],
    [{ port: '-1' }, '--port is `-1`, which is no port.'],
    [{ port: '80.5' }, '--port is `80.5`, which is no port.'],
    [{ port: '' }, '--port is ``, which is no port.'],
    [{ path: 'mcp' }, '--path is `mcp`, which is no path.'],
    [{ path: '/mcp?a' }, '--path is `/mcp?a`, which is no path.'],
    [{ allowedOrigins: 'https://a.example/' }, '--allowed-origins names `https://a.example/`, which is no origin.'],
    [{ allowedOrigins: 'a.example' }, '--allowed-origins names `a.example`, which is no origin.'],
  ])('cannot be %j', (options, message) => {
    expect(httpLocation(options)).toMatchObject({ diagnostics: [{ code: 'TG0001', severity: 'error', message }] })
  })
})
