import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { type McpCallError, oauth } from '../../packages/runtime/src/mcp.js'
import {
  authorizationServer,
  browse,
  callerOf,
  endAll,
  listening,
  protectedShop,
  scriptedLogin,
  whoami,
} from './oauth.fixture.js'

afterEach(endAll)

const fails = async (url: string, login = scriptedLogin(), timeoutMs = 30_000): Promise<McpCallError> => {
  const caller = callerOf({ url, auth: oauth({ login, timeoutMs }) })
  const error: unknown = await whoami(caller).then(
    (user) => `called as ${user}`,
    (thrown: unknown) => thrown,
  )
  // The test shows the value if this is no error.
  return error as McpCallError
}

/** Metadata of the authorization server, with changes. */
async function metadataOf(issuer: string, changes: object): Promise<string> {
  const response = await fetch(`${issuer}/.well-known/openid-configuration`)
  const metadata: any = await response.json()
  return JSON.stringify({ ...metadata, ...changes })
}

/** Answers the requests of the metadata of the authorization server with `body`. */
const answers =
  (body: string, type = 'application/json') =>
  ({ url }: IncomingMessage, response: ServerResponse): boolean => {
    if (url?.startsWith('/.well-known/') !== true) return false
    response.writeHead(200, { 'content-type': type }).end(body)
    return true
  }

describe('OAuth: an authorization server that is hostile or broken', () => {
  it.each([
    ['another issuer', { issuer: 'https://honest.example' }, /"https:\/\/honest\.example"/],
    ['no PKCE', { code_challenge_methods_supported: undefined }, /does not support PKCE with S256/],
    ['only plain PKCE', { code_challenge_methods_supported: ['plain'] }, /does not support PKCE with S256/],
    ['a login page that is a program', { authorization_endpoint: 'file:///usr/bin/true' }, /must have an https URL/],
    ['a login page without TLS', { authorization_endpoint: 'http://login.example/' }, /must have an https URL/],
    ['a registration without TLS', { registration_endpoint: 'http://login.example/reg' }, /must have an https URL/],
    ['another response type', { response_types_supported: ['token'] }, /response type code/],
  ])('that announces %s: no login page is opened', async (_, changes, message) => {
    const server = await authorizationServer()
    const { url } = await protectedShop(server.issuer)
    server.settings.answer = answers(await metadataOf(server.issuer, changes))
    const login = scriptedLogin()
    expect(await fails(url, login)).toMatchObject({ code: 'unauthorized', message: expect.stringMatching(message) })
    expect(login.opened).toEqual([])
  })

  it.each([
    [{ token_endpoint: undefined }, "the field 'token_endpoint' must be of the type string"],
    [{ response_types_supported: 'code' }, "the field 'response_types_supported' must be of the type array"],
    [{ scopes_supported: [5] }, "the field 'scopes_supported.0' must be of the type string"],
    [{ token_endpoint: 'no url' }, "the field 'token_endpoint' is invalid"],
  ])('whose metadata have the changes %j: the error names the document and the field', async (changes, issue) => {
    const server = await authorizationServer()
    const { url } = await protectedShop(server.issuer)
    server.settings.answer = answers(await metadataOf(server.issuer, changes))
    const { code, message } = await fails(url)
    expect(code).toBe('unauthorized')
    expect(message).toContain(`the response of ${server.issuer}/.well-known/`)
    expect(message).toContain(` is invalid: ${issue}`)
    expect(message).not.toContain('[ {')
  })

  it('that announces a token endpoint without TLS: the code is not sent', async () => {
    const server = await authorizationServer()
    const { url } = await protectedShop(server.issuer)
    server.settings.answer = answers(await metadataOf(server.issuer, { token_endpoint: 'http://login.example/token' }))
    expect(await fails(url)).toMatchObject({ code: 'unauthorized', message: expect.stringContaining('login.example') })
  })

  it.each([
    ['sends no end of metadata', 'x'.repeat(300_000), 'too_large'],
    ['sends metadata that are no JSON', '<html>', 'malformed'],
    ['sends metadata without endpoints', '{}', 'unauthorized'],
  ])('that %s', async (_, body, code) => {
    const server = await authorizationServer()
    const { url } = await protectedShop(server.issuer)
    server.settings.answer = answers(body)
    expect(await fails(url)).toMatchObject({ code })
  })

  it.each(['/.well-known/', '/reg', '/token'])('that does not respond at %s', async (path) => {
    const server = await authorizationServer()
    const { url } = await protectedShop(server.issuer)
    server.settings.answer = (request) => request.url?.startsWith(path) === true
    const error = await fails(url, scriptedLogin(), 300)
    expect(error).toMatchObject({ code: 'timeout', message: expect.stringContaining(server.issuer) })
  })

  it('that sends a response without end: the time limit covers the body', async () => {
    const server = await authorizationServer()
    const { url } = await protectedShop(server.issuer)
    server.settings.answer = (request, response) => {
      if (request.url !== '/reg') return false
      response.writeHead(201, { 'content-type': 'application/json' }).write('{')
      return true
    }
    expect(await fails(url, scriptedLogin(), 300)).toMatchObject({ code: 'timeout' })
  })

  it('that redirects token requests to another host: the code is not sent there', async () => {
    const stolen: string[] = []
    const thief = await listening((request, response) => {
      stolen.push(`${request.method} ${request.url}`)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"access_token":"x","token_type":"Bearer"}')
    })
    for (const path of ['/.well-known/', '/reg', '/token']) {
      const server = await authorizationServer()
      const { url } = await protectedShop(server.issuer)
      server.settings.answer = (request, response) => {
        if (request.url?.startsWith(path) !== true) return false
        response.writeHead(307, { location: thief }).end()
        return true
      }
      expect(await fails(url)).toMatchObject({ code: 'unauthorized' })
    }
    expect(stolen).toEqual([])
  })

  it('that has no metadata: the login does not fall back to a guess of its URLs', async () => {
    const server = await authorizationServer()
    const { url } = await protectedShop(server.issuer)
    server.settings.answer = ({ url: path }, response) => {
      if (path?.startsWith('/.well-known/') !== true) return false
      response.writeHead(404).end()
      return true
    }
    const login = scriptedLogin()
    expect(await fails(url, login)).toMatchObject({ message: expect.stringContaining('publishes no metadata') })
    expect(login.opened).toEqual([])
  })

  it('that redirects without end', async () => {
    const server = await authorizationServer()
    const { url } = await protectedShop(server.issuer)
    let count = 0
    server.settings.answer = (request, response) => {
      if (request.url?.startsWith('/token') !== true) return false
      count += 1
      response.writeHead(307, { location: `/token?again=${count}` }).end()
      return true
    }
    expect(await fails(url)).toMatchObject({ code: 'unauthorized' })
    expect(count).toBeLessThan(50)
  })

  it('whose tokens the MCP server rejects: one login, then an error', async () => {
    const server = await authorizationServer({ audience: () => 'https://other.example/mcp' })
    const { url } = await protectedShop(server.issuer)
    const login = scriptedLogin()
    expect(await fails(url, login)).toMatchObject({
      code: 'unauthorized',
      message: `${url} rejects the token that ${server.issuer} has just issued.`,
    })
    expect(login.opened).toHaveLength(1)
  })
})

describe('OAuth: a callback that does not belong to the login', () => {
  it.each([
    ['of another authorization server (mix-up)', 'iss', 'https://honest.example', /issuer/i],
    ['without issuer', 'iss', undefined, /issuer/i],
    ['with a code of another login', 'code', 'a-code-of-another-login', /./],
  ])('%s is refused', async (_, name, value, message) => {
    const { issuer, requests } = await authorizationServer()
    const { url } = await protectedShop(issuer)
    const callback = (target: URL): URL => {
      if (value === undefined) target.searchParams.delete(name)
      else target.searchParams.set(name, value)
      return target
    }
    const error = await fails(
      url,
      scriptedLogin((page) => browse(page, { callback })),
    )
    expect(error).toMatchObject({ code: 'unauthorized', message: expect.stringMatching(message) })
    expect(requests.filter((request) => request === 'POST /token')).toHaveLength(name === 'iss' ? 0 : 1)
  })

  it('with another state is not noticed: the login goes on', async () => {
    const { issuer } = await authorizationServer()
    const { url } = await protectedShop(issuer)
    const pages: string[] = []
    const login = scriptedLogin(async (page) => {
      const redirectUrl = page.searchParams.get('redirect_uri')
      const forged = [
        `${redirectUrl}?code=x&state=forged`,
        `${redirectUrl}?code=x`,
        `${redirectUrl}/../other`,
        `${new URL(redirectUrl ?? '').origin}//`,
      ]
      for (const each of forged) {
        const response = await fetch(each)
        pages.push(`${response.status} ${await response.text()}`)
      }
      pages.push(await browse(page))
    })
    const caller = callerOf({ url, auth: oauth({ login }) })
    expect(await whoami(caller)).toBe('ada')
    await expect.poll(() => pages.length).toBe(5)
    expect(pages.slice(0, 4).every((page) => page.startsWith('404'))).toBe(true)
    expect(pages[4]).toContain('You can close this page')
  })
})

describe('OAuth: an MCP server that is hostile', () => {
  /** An MCP server that answers every call with 401, and serves resource metadata. */
  const hostile = async (metadata: (url: string) => object): Promise<string> => {
    const url = await listening((request, response) => {
      if (request.url?.startsWith('/.well-known/') === true) {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata(url)))
      } else response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end()
    })
    return url
  }

  it('that wants tokens for another server: no login page is opened', async () => {
    const { issuer } = await authorizationServer()
    const url = await hostile(() => ({ resource: 'https://bank.example/mcp', authorization_servers: [issuer] }))
    const login = scriptedLogin()
    expect(await fails(url, login)).toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining('https://bank.example/mcp'),
    })
    expect(login.opened).toEqual([])
  })

  it('that rejects every token: one login, then an error', async () => {
    const { issuer } = await authorizationServer()
    const url = await hostile((resource) => ({
      resource,
      authorization_servers: [issuer],
      scopes_supported: ['read'],
    }))
    const login = scriptedLogin()
    expect(await fails(url, login)).toMatchObject({ code: 'unauthorized' })
    expect(login.opened).toHaveLength(1)
  })

  it('that asks for another scope after each login: the number of logins is limited', async () => {
    const { issuer } = await authorizationServer({
      scopes: `read ${[...Array(20).keys()].map((each) => `scope${each}`).join(' ')}`,
    })
    let count = 0
    const url = await listening((request, response) => {
      if (request.url?.startsWith('/.well-known/') === true) {
        const metadata = { resource: url, authorization_servers: [issuer], scopes_supported: ['read'] }
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata))
        return
      }
      count += 1
      const challenge = `Bearer error="insufficient_scope", scope="read scope${count}"`
      const isFirst = request.headers.authorization === undefined
      response.writeHead(isFirst ? 401 : 403, { 'www-authenticate': isFirst ? 'Bearer scope="read"' : challenge }).end()
    })
    const login = scriptedLogin()
    expect(await fails(url, login)).toMatchObject({ code: 'unauthorized', status: 403 })
    expect(login.opened.length).toBeLessThanOrEqual(3)
  })
})
