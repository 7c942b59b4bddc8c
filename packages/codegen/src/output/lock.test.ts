import { expect, it } from 'vitest'
import { contentHash } from '../files.js'
import type { DesignIr, ToolIr, ToolsetIr } from '../ir/types.js'
import { lockText, readLock } from './lock.js'

const location = { file: 'design/orders.ts', line: 1, column: 1 }

function tool(name: string): ToolIr {
  const names = { arguments: '', payload: '', result: '', update: '', payloadCodec: '', resultCodec: '' }
  return {
    name,
    id: `orders.${name}`,
    title: 'Get order',
    description: 'Fetch one order.',
    arguments: { type: 'object', properties: { id: { $ref: '#/$defs/Id' } } },
    payload: {},
    result: { type: 'object' },
    serverOwned: [{ field: 'session', from: 'sessionId', schema: { type: 'string' } }],
    examples: [],
    tags: [],
    annotations: {},
    toolName: `orders_${name}`,
    needsCheck: false,
    hash: '0123456789abcdef',
    names: { ...names, updateCodec: '', spec: '', call: '' },
    location,
  }
}

const mcpUseNames = { file: '', mcpExecutor: '', mcpImport: '' }
const mcpNames = { import: '', executor: '', client: '', clientOptions: '', newClient: '' }

function design(tools: readonly ToolIr[]): DesignIr {
  const orders: ToolsetIr = {
    name: 'orders',
    description: 'Orders.',
    namespace: 'default',
    defs: { Id: { type: 'string' } },
    tools,
    names: {
      folder: 'orders',
      descriptor: '',
      specs: '',
      toolset: '',
      mcp: mcpNames,
      openapi: { api: '', executor: '', options: '', client: '', clientOptions: '', newClient: '' },
      defs: {},
    },
    location,
  }
  return { contract: 1, toolsets: [orders], agents: [] }
}

const files = [
  { path: 'b.ts', text: 'b\n' },
  { path: 'a.ts', text: 'a\n' },
]

it('lists files sorted, and every tool in a few lines with its definitions once per toolset', () => {
  expect(lockText(design([tool('getOrder')]), files)).toBe(`{
  "contract": 1,
  "files": {
    "a.ts": "${contentHash('a\n')}",
    "b.ts": "${contentHash('b\n')}"
  },
  "toolsets": {
    "orders": {
      "namespace": "default",
      "description": "Orders.",
      "defs": {
        "Id": {"type":"string"}
      },
      "tools": {
        "getOrder": {
          "hash": "0123456789abcdef",
          "about": {"toolName":"orders_getOrder","title":"Get order","description":"Fetch one order."},
          "arguments": {"type":"object","properties":{"id":{"$ref":"#/$defs/Id"}}},
          "serverOwned": [{"field":"session","from":"sessionId","schema":{"type":"string"}}],
          "result": {"type":"object"}
        }
      }
    }
  },
  "agents": {}
}
`)
})

it('says of each agent what it calls, who serves it, and what it offers', () => {
  const agents: DesignIr['agents'] = [
    {
      name: 'support',
      description: 'x',
      instructions: 'Be brief.',
      policy: { maxTurns: 3 },
      uses: [
        {
          provider: 'agent',
          toolset: 'investigation',
          as: 'team',
          agent: 'research',
          tools: [{ tool: 'investigate', toolName: 'find_out', location }],
          names: { use: '', env: '', agentEnv: '' },
          location,
        },
      ],
      exports: [
        {
          toolset: 'orders',
          tools: [{ tool: 'getOrder', text: 'No part of the contract.' }],
          names: { file: '', export: '', registration: '', registrationOptions: '' },
          location,
        },
      ],
      names: {
        folder: '',
        descriptor: '',
        register: '',
        binding: '',
        builder: '',
        bareBuilder: '',
        tools: '',
        env: '',
      },
      location,
    },
  ]
  const { agents: locked } = JSON.parse(lockText({ ...design([]), agents }, []))
  expect(locked).toEqual({
    support: {
      about: { description: 'x', instructions: 'Be brief.', policy: { maxTurns: 3 } },
      uses: {
        team: {
          toolset: 'investigation',
          provider: 'agent',
          agent: 'research',
          tools: [{ tool: 'investigate', toolName: 'find_out' }],
        },
      },
      exports: ['orders'],
    },
  })
})

it('says what an MCP server calls each tool, of the toolset and of each use', () => {
  const [orders] = design([tool('getOrder')]).toolsets
  if (orders === undefined) throw new Error('The design has a toolset.')
  const locked = (name: string, remote: string): string => {
    const served: ToolsetIr = { ...orders, mcp: { unused: [], tools: [{ tool: 'getOrder', name }] } }
    const agents: DesignIr['agents'] = [
      {
        name: 'support',
        description: 'x',
        uses: [
          {
            provider: 'mcp',
            toolset: 'orders',
            as: 'orders',
            tools: [{ tool: 'getOrder', toolName: 'orders_getOrder', remote, location }],
            names: { use: '', registration: '', registrationOptions: '', env: '', ...mcpUseNames },
            location,
          },
        ],
        exports: [],
        names: {
          folder: '',
          descriptor: '',
          register: '',
          binding: '',
          builder: '',
          bareBuilder: '',
          tools: '',
          env: '',
        },
        location,
      },
    ]
    return lockText({ contract: 1, toolsets: [served], agents }, [])
  }
  const lock = JSON.parse(locked('get_order', 'fetch_order'))
  expect(lock.toolsets.orders.tools.getOrder.remote).toBe('get_order')
  expect(lock.agents.support.uses.orders.tools).toEqual([
    { tool: 'getOrder', toolName: 'orders_getOrder', remote: 'fetch_order' },
  ])
})

it('is read back, hostile names and all', () => {
  const hostile = ['__proto__', 'constructor', '1', 'a"b', '\u2028', '*/']
  const text = lockText(design(hostile.map((name) => tool(name))), files)
  const reading = readLock(text)
  expect(reading.kind === 'read' && [...reading.lock.files]).toEqual([
    ['a.ts', contentHash('a\n')],
    ['b.ts', contentHash('b\n')],
  ])
  expect(Object.keys(JSON.parse(text).toolsets.orders.tools).sort()).toEqual([...hostile].sort())
})

it('does not depend on the order of the files', () => {
  expect(lockText(design([]), files.toReversed())).toBe(lockText(design([]), files))
})

it('says when it holds the marks of a merge', () => {
  const text = '{\n<<<<<<< HEAD\n  "contract": 1,\n=======\n>>>>>>> other\n}'
  expect(readLock(text)).toEqual({ kind: 'corrupt', reason: 'contains the markers of a merge conflict' })
})
