import { assertType, type Equal } from './equal.fixture.js'
import { defineTool } from './tool.js'
import type { Toolset } from './toolset.js'
import { defineToolset } from './toolset.js'
import type { McpUse } from './uses.js'
import { fromMcp } from './uses.js'

const tool = defineTool({ description: 'x', payload: { type: 'object' }, result: { type: 'string' } })
const files = defineToolset('files', {
  description: 'x',
  tools: { readFile: tool, listFiles: tool },
  mcp: { names: { readFile: 'read_file' } },
})

const use = fromMcp(files, { as: 'disk', only: ['readFile'], tools: { readFile: { name: 'read_text_file' } } })
assertType<Equal<typeof use, McpUse>>()
fromMcp(files)

// TypeScript accepts any name if the toolset has no known tools. The generator reports wrong names.
declare const someToolset: Toolset
fromMcp(someToolset, { only: ['a'], tools: { a: { name: 'b' } } })

// @ts-expect-error: no such tool
fromMcp(files, { only: ['readFil'] })
fromMcp(files, {
  tools: {
    readFile: { name: 'read_file' },
    // @ts-expect-error: no such tool
    listFile: { name: 'list_files' },
  },
})
fromMcp(files, {
  only: ['listFiles'],
  // @ts-expect-error: not selected
  tools: { readFile: { name: 'read_file' } },
})
// @ts-expect-error: only a service has methods
fromMcp(files, { tools: { readFile: { method: 'run' } } })
// @ts-expect-error: the toolset is a value, never a name
fromMcp('files')

defineToolset('files', {
  description: 'x',
  tools: { readFile: tool },
  mcp: {
    names: {
      // @ts-expect-error: no such tool
      listFiles: 'list_files',
    },
  },
})
