// A toolset of this package, served over stdio.
import { Runtime, tool, toolset } from '@toolgen/runtime'
import { serveMcp } from '@toolgen/runtime/mcp'

const weather = tool({
  name: 'weather',
  description: 'Says how the weather is.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  run: ({ city }) => ({ city, sky: 'blue' }),
})

await serveMcp(new Runtime(), { toolsets: [toolset('local', weather)] })
