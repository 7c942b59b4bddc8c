import { assertType, type Equal } from './equal.fixture.js'
import { defineTool } from './tool.js'
import type { Toolset, ToolsetExport } from './toolset.js'
import { defineToolset, exportToolset } from './toolset.js'

const tool = defineTool({ description: 'x', payload: { type: 'object' }, result: { type: 'string' } })
const investigation = defineToolset('investigation', { description: 'x', tools: { investigate: tool, lookUp: tool } })

const offer = exportToolset(investigation, {
  tools: {
    investigate: { template: 'Find out all about {{topic}}.', systemPrompt: 'Be thorough.', prose: true },
    lookUp: { text: 'Look it up.' },
  },
})
assertType<Equal<typeof offer, ToolsetExport>>()
exportToolset(investigation)
exportToolset(investigation, {})
exportToolset(investigation, { tools: { lookUp: {} } })

// TypeScript accepts any name if the toolset has no known tools. The generator reports wrong names.
declare const someToolset: Toolset
exportToolset(someToolset, { tools: { a: { text: 'x' } } })

exportToolset(investigation, {
  tools: {
    investigate: { text: 'x' },
    // @ts-expect-error: no such tool
    lokUp: { text: 'x' },
  },
})
const wrongNames = { investigate: { text: 'x' }, lokUp: { text: 'x' } }
// @ts-expect-error: no such tool, in a value that is written elsewhere
exportToolset(investigation, { tools: wrongNames })
exportToolset(investigation, {
  tools: {
    // @ts-expect-error: a text or a template
    investigate: { text: 'x', template: '{{topic}}' },
  },
})
exportToolset(investigation, {
  tools: {
    investigate: {
      // @ts-expect-error: unknown property
      promt: 'x',
    },
    lookUp: {
      // @ts-expect-error: true or false
      prose: 'yes',
    },
  },
})
// @ts-expect-error: unknown property
exportToolset(investigation, { only: ['lookUp'] })
// @ts-expect-error: not a toolset
exportToolset({ investigate: tool })
