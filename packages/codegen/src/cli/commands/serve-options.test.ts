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
    [{ authIssuer: 'https://a.example' }, { port: 3000, auth: { issuer: 'https://a.example' } }],
    [
      { authIssuer: 'http://127.0.0.1:9', authAudience: 'orders', authScopes: 'read, write' },
      { port: 3000, auth: { issuer: 'http://127.0.0.1:9', audience: 'orders', requiredScopes: ['read', 'write'] } },
    ],
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
    [{ authIssuer: 'a.example' }, '--auth-issuer must be an https URL, not `a.example`.'],
    [{ authIssuer: 'http://a.example' }, '--auth-issuer must be an https URL, not `http://a.example`.'],
    [{ authIssuer: 'https://a.example', authResource: 'b' }, '--auth-resource must be an https URL, not `b`.'],
    [
      { authScopes: 'read' },
      '--auth-resource, --auth-audience and --auth-scopes have an effect only with --auth-issuer.',
    ],
    [
      { host: '0.0.0.0', allowedHosts: 'b.example', authIssuer: 'https://a.example' },
      '--auth-resource is missing, because other machines can reach the server.',
    ],
    [{ allowedOrigins: 'a.example' }, '`a.example` in --allowed-origins is not an origin.'],
  ])('cannot be %j', (options, message) => {
    expect(httpLocation(options)).toMatchObject({ diagnostics: [{ code: 'TG0001', severity: 'error', message }] })
  })
})
