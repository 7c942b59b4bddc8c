import { assertType, type Equal } from './equal.fixture.js'
import { defineTool } from './tool.js'
import type { Toolset } from './toolset.js'
import { defineToolset } from './toolset.js'
import type { AgentUse } from './uses.js'
import { fromAgent } from './uses.js'

const tool = defineTool({ description: 'x', payload: { type: 'object' }, result: { type: 'string' } })
const investigation = defineToolset('investigation', { description: 'x', tools: { investigate: tool, lookUp: tool } })

const use = fromAgent(investigation, { as: 'team', only: ['investigate'], rename: { investigate: 'find_out' } })
assertType<Equal<typeof use, AgentUse>>()
fromAgent(investigation)
fromAgent(investigation, {})

// TypeScript accepts any name if the toolset has no known tools. The generator reports wrong names.
declare const someToolset: Toolset
fromAgent(someToolset, { only: ['a'], rename: { a: 'b' } })

// @ts-expect-error: no such tool
fromAgent(investigation, { only: ['investigate', 'investigat'] })
fromAgent(investigation, {
  rename: {
    investigate: 'find_out',
    // @ts-expect-error: no such tool
    lokUp: 'look_up',
  },
})
const wrongNames = { investigate: 'find_out', lokUp: 'look_up' }
// @ts-expect-error: no such tool, in a value that is written elsewhere
fromAgent(investigation, { rename: wrongNames })
fromAgent(investigation, {
  only: ['lookUp'],
  // @ts-expect-error: not selected
  rename: { investigate: 'find_out' },
})
// @ts-expect-error: only a service has methods
fromAgent(investigation, { tools: { investigate: { method: 'run' } } })
// @ts-expect-error: not a toolset
fromAgent({ investigate: tool })
// @ts-expect-error: the toolset is a value, never a name
fromAgent('investigation')
