import { expect, it } from 'vitest'
import { type LiveOptions, liveChoice } from './check.js'

const command = ['node', 'server.mjs']

it.each<[LiveOptions, unknown]>([
  [{ server: [] }, undefined],
  [{ live: true, server: [] }, 'all'],
  [{ live: 'files', server: [] }, { toolset: 'files' }],
  [
    { live: 'files', server: command },
    { toolset: 'files', origin: { command } },
  ],
  [
    { live: 'files', url: 'http://a/', server: [] },
    { toolset: 'files', origin: { url: 'http://a/' } },
  ],
  [
    { live: 'files', header: ['X-Tenant: acme', 'X-Key: ${KEY}'], server: [] },
    { toolset: 'files', headers: { 'x-key': '${KEY}', 'x-tenant': 'acme' } },
  ],
  [
    { live: 'files', server: ['http://a/'] },
    { toolset: 'files', origin: { url: 'http://a/' } },
  ],
])('%j asks %j', (options, value) => {
  expect(liveChoice(options)).toEqual(value === undefined ? { diagnostics: [] } : { value, diagnostics: [] })
})

it.each<[LiveOptions, string]>([
  [{ server: command }, 'The name of the toolset of this server is missing.'],
  [{ live: true, server: command }, 'The name of the toolset of this server is missing.'],
  [{ url: 'http://a/', server: [] }, 'The name of the toolset of this server is missing.'],
  [{ live: true, header: ['X-Key: ${KEY}'], server: [] }, 'The name of the toolset of this server is missing.'],
  [{ live: 'files', url: 'http://a/', server: command }, 'Use either --url or a command, not both.'],
])('%j is refused', (options, message) => {
  expect(liveChoice(options)).toMatchObject({ diagnostics: [{ code: 'TG0001', severity: 'error', message }] })
})

it.each<[LiveOptions, string]>([
  [{ server: ['weather'] }, 'toolgen check --live weather'],
  [{ live: true, server: ['my files'] }, "toolgen check --live 'my files'"],
])('%j is taken for a toolset that is named in the wrong place', (options, command) => {
  expect(liveChoice(options)).toMatchObject({
    diagnostics: [{ code: 'TG0001', severity: 'error', next: `Did you mean \`${command}\`?` }],
  })
})
