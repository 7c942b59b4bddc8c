import { afterEach, describe, expect, it } from 'vitest'
import { callsSuite } from './calls-suite.js'
import { endsSuite } from './ends-suite.js'
import { failuresSuite } from './failures-suite.js'
import { layersSuite } from './layers-suite.js'
import { observersSuite } from './observers-suite.js'
import type { Provider } from './provider.js'
import { providers, service } from './providers.js'

/** What the tools of every provider do: planners, people and operators cannot tell who serves them. */
function conformance(provider: Provider): void {
  afterEach(() => provider.end?.())
  describe('calls', () => callsSuite(provider))
  describe('failures', () => failuresSuite(provider, service))
  describe('layers', () => layersSuite(provider))
  describe('ends', () => endsSuite(provider))
  describe('observers', () => observersSuite(provider, service))
}

for (const provider of providers) describe(`tools of a provider: ${provider.name}`, () => conformance(provider))

it('only hand-written tools and those of MCP servers may differ, each time for a reason that is written down', () => {
  const differing = providers.filter(({ lacks }) => Object.keys(lacks).length > 0)
  expect(differing.map(({ name }) => name)).toEqual(['mcp', 'mcp over HTTP', 'function'])
})
