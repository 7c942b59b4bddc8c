import fc from 'fast-check'
import { ts } from 'ts-morph'
import { describe, expect, it } from 'vitest'
import { hostileName } from './hostile-names.fixture.js'
import { assignNames, type DesignNames, type NamedAgent, type NamedToolset } from './names.js'
import { reservedNames } from './reserved-names.js'

function toolset(
  name: string,
  tools: readonly string[] = [],
  defs: readonly string[] = [],
  failures?: readonly string[],
): NamedToolset {
  const declared = failures && { failures: failures.map((failure) => ({ name: failure })) }
  return {
    name,
    tools: tools.map((tool) => ({ name: tool, ...declared })),
    defs: Object.fromEntries(defs.map((def) => [def, {}])),
  }
}

function agent(name: string, uses: readonly string[] = [], exported: readonly string[] = []): NamedAgent {
  return { name, uses: uses.map((as) => ({ as })), exports: exported.map((of) => ({ toolset: of })) }
}

function only(design: { toolsets?: readonly NamedToolset[]; agents?: readonly NamedAgent[] }): DesignNames {
  return assignNames({ toolsets: design.toolsets ?? [], agents: design.agents ?? [] })
}

function toolNames(...tools: readonly string[]): readonly string[] {
  const [named] = only({ toolsets: [toolset('t', tools)] }).toolsets
  return (named?.tools ?? []).map((tool) => tool.arguments)
}

/** Every identifier of a toolset's scope. */
function scopeOf(named: DesignNames['toolsets'][number]): readonly string[] {
  const { descriptor, specs, toolset: descriptorOfAll, defs, failures: declared = {} } = named.names
  return [
    descriptor,
    specs,
    descriptorOfAll,
    ...named.tools.flatMap(({ errors, failures, ...own }) => [
      ...Object.values<string>({ ...own, ...errors }),
      ...Object.values<string>({ ...failures }),
    ]),
    ...Object.values(declared).flatMap((failure) => Object.values<string>(failure)),
    ...Object.values(defs).flatMap((def) => Object.values<string>(def)),
  ]
}

function isLegal(identifier: string): boolean {
  const scanner = ts.createScanner(ts.ScriptTarget.ESNext, true, ts.LanguageVariant.Standard, identifier)
  const kind = scanner.scan()
  const isName = kind === ts.SyntaxKind.Identifier || kind > ts.SyntaxKind.LastFutureReservedWord
  return isName && scanner.scan() === ts.SyntaxKind.EndOfFileToken
}

describe('names', () => {
  it('pair by one rule', () => {
    const { toolsets, agents } = assignNames({
      toolsets: [toolset('orders', ['getOrder'], ['LineItem'])],
      agents: [agent('support', ['orders'], ['tickets'])],
    })
    expect(toolsets).toEqual([
      {
        names: {
          folder: 'orders',
          descriptor: 'orders',
          specs: 'ordersSpecs',
          toolset: 'ordersToolset',
          mcp: {
            import: 'ordersMcp',
            executor: 'newOrdersMcpExecutor',
            client: 'OrdersClient',
            clientOptions: 'OrdersClientOptions',
            newClient: 'newOrdersClient',
          },
          openapi: {
            api: 'ordersApi',
            executor: 'newOrdersApiExecutor',
            options: 'OrdersApiOptions',
            client: 'OrdersClient',
            clientOptions: 'OrdersClientOptions',
            newClient: 'newOrdersClient',
          },
          defs: { LineItem: { sent: 'LineItem', read: 'LineItemRead', schema: 'lineItemSchema' } },
        },
        tools: [
          {
            arguments: 'GetOrderArguments',
            payload: 'GetOrderPayload',
            result: 'GetOrderResult',
            update: 'GetOrderUpdate',
            payloadCodec: 'getOrderPayloadCodec',
            resultCodec: 'getOrderResultCodec',
            updateCodec: 'getOrderUpdateCodec',
            spec: 'getOrderSpec',
            call: 'newGetOrderCall',
          },
        ],
      },
    ])
    expect(agents).toEqual([
      {
        names: {
          folder: 'support',
          descriptor: 'supportAgent',
          register: 'registerSupport',
          binding: 'SupportBinding',
          builder: 'newSupportAgent',
          bareBuilder: 'newBareSupportAgent',
          tools: 'SupportTools',
          env: 'SupportEnv',
        },
        uses: [
          {
            file: 'orders',
            use: 'supportOrdersUse',
            client: 'SupportOrdersClient',
            executor: 'newSupportOrdersServiceExecutor',
            executorOptions: 'SupportOrdersServiceExecutorOptions',
            registration: 'newSupportOrdersToolsetRegistration',
            registrationOptions: 'SupportOrdersToolsetRegistrationOptions',
            env: 'SupportOrdersEnv',
            agentEnv: 'SupportOrdersAgentEnv',
            mcpExecutor: 'newSupportOrdersMcpExecutor',
            mcpImport: 'supportOrdersMcp',
          },
        ],
        exports: [
          {
            file: 'tickets.agent',
            export: 'supportTicketsExport',
            registration: 'newSupportTicketsToolsetRegistration',
            registrationOptions: 'SupportTicketsToolsetRegistrationOptions',
          },
        ],
      },
    ])
  })

  it.each([
    ['get_order', 'GetOrderArguments'],
    ['get-order', 'GetOrderArguments'],
    ['GET order', 'GETOrderArguments'],
    ['orders/v2.list', 'OrdersV2ListArguments'],
    ['3d-model', '_3dModelArguments'],
    ['größe', 'GrößeArguments'],
    ['注文', '注文Arguments'],
    ['__proto__', 'ProtoArguments'],
    ['constructor', 'ConstructorArguments'],
    ['delete', 'DeleteArguments'],
  ])('the words of %s make %s', (name, expected) => {
    expect(toolNames(name)).toEqual([expected])
  })

  it('lower a leading acronym as a whole', () => {
    const [named] = only({ toolsets: [toolset('URLFetcher', ['URLFor'])] }).toolsets
    expect(named?.names.descriptor).toBe('urlFetcher')
    expect(named?.tools[0]?.spec).toBe('urlForSpec')
    expect(named?.tools[0]?.result).toBe('URLForResult')
  })

  it('that are reserved get an underscore, and only there', () => {
    const [named] = only({ toolsets: [toolset('delete', ['tool'], ['Date'])] }).toolsets
    expect(named?.names).toMatchObject({ descriptor: 'delete_', specs: 'deleteSpecs', toolset: 'deleteToolset' })
    expect(named?.names.defs).toEqual({ Date: { sent: 'Date_', read: 'DateRead', schema: 'dateSchema' } })
    expect(named?.tools[0]).toMatchObject({ call: 'newToolCall_', spec: 'toolSpec_', result: 'ToolResult' })
  })

  it('without a usable letter are a word for the thing and a hash', () => {
    expect(toolNames('!!!', '🛠', '')).toEqual([
      expect.stringMatching(/^Tool_[0-9a-f]{6}Arguments$/),
      expect.stringMatching(/^Tool_[0-9a-f]{6}Arguments$/),
      expect.stringMatching(/^Tool_[0-9a-f]{6}Arguments$/),
    ])
  })

  it('that are very long are cut and get a hash', () => {
    const [first, second] = toolNames(`${'word '.repeat(200)}a`, `${'word '.repeat(200)}b`)
    expect(first).toMatch(/^(?:Word){16}_[0-9a-f]{6}Arguments$/)
    expect(first).not.toBe(second)
  })

  it('that collide: the exact fit keeps the stem, each other one gets its own hash', () => {
    const names = toolNames('get_order', 'GetOrder', 'getOrder', 'get order')
    expect(names[2]).toBe('GetOrderArguments')
    expect(new Set(names).size).toBe(4)
    for (const index of [0, 1, 3]) expect(names[index]).toMatch(/^GetOrder_[0-9a-f]{6}Arguments$/)
  })

  it('of a definition give way to those of a tool', () => {
    const [named] = only({ toolsets: [toolset('t', ['getOrder'], ['GetOrderResult'])] }).toolsets
    expect(named?.tools[0]?.result).toBe('GetOrderResult')
    expect(named?.names.defs.GetOrderResult?.sent).toMatch(/^GetOrderResult_[0-9a-f]{6}$/)
  })

  it('of a tool give way to those of its toolset', () => {
    const [named] = only({ toolsets: [toolset('getOrderSpec', ['getOrder'])] }).toolsets
    expect(named?.names.descriptor).toBe('getOrderSpec')
    expect(named?.tools[0]?.spec).toMatch(/^getOrder_[0-9a-f]{6}Spec$/)
  })

  it('of an export that is called like a use say that it is one', () => {
    const [named] = only({ agents: [agent('desk', ['orders'], ['orders'])] }).agents
    expect(named?.uses[0]?.registration).toBe('newDeskOrdersToolsetRegistration')
    expect(named?.exports[0]?.registration).toBe('newDeskExportedOrdersToolsetRegistration')
    expect([named?.uses[0]?.file, named?.exports[0]?.file]).toEqual(['orders', 'orders.agent'])
  })

  it('of an agent are no words of the runtime', () => {
    const [named] = only({ agents: [agent('agent')] }).agents
    expect(named?.names).toMatchObject({
      register: 'registerAgent_',
      binding: 'AgentBinding_',
      builder: 'newAgentAgent',
      bareBuilder: 'newBareAgentAgent',
      tools: 'AgentTools',
    })
  })

  it('of definitions are own properties, whatever they are called', () => {
    const [named] = only({ toolsets: [toolset('t', [], ['__proto__', 'constructor'])] }).toolsets
    expect(Object.keys(named?.names.defs ?? {})).toEqual(['__proto__', 'constructor'])
  })

  it('of folders are readable, legal on Windows and distinct without case', () => {
    const names = ['lineItems', 'LINEITEMS', 'line_items', 'con', 'NUL', 'ß', 'ss', '..', 'HTTPServer2Api']
    const folders = only({ toolsets: names.map((name) => toolset(name)) }).toolsets.map((named) => named.names.folder)
    expect(folders).toEqual([
      'line-items',
      'lineitems',
      expect.stringMatching(/^line-items-[0-9a-f]{6}$/),
      'con_',
      'nul_',
      expect.stringMatching(/^ß-[0-9a-f]{6}$/),
      'ss',
      expect.stringMatching(/^toolset-[0-9a-f]{6}$/),
      'http-server2-api',
    ])
  })

  it('stay when a tool is added, unless the new one fits better', () => {
    fc.assert(
      fc.property(fc.uniqueArray(hostileName, { minLength: 1, maxLength: 8 }), (tools) => {
        const before = toolNames(...tools)
        expect(toolNames(...tools, 'somethingElseEntirely').slice(0, -1)).toEqual(before)
      }),
    )
  })

  it('do not depend on the order of the design', () => {
    fc.assert(
      fc.property(fc.uniqueArray(hostileName, { maxLength: 10 }), (tools) => {
        const reversed = [...tools].reverse()
        expect([...toolNames(...reversed)].reverse()).toEqual(toolNames(...tools))
      }),
    )
  })

  it('are legal, free and unique in their scope for any design', () => {
    const names = fc.uniqueArray(hostileName, { maxLength: 6 })
    fc.assert(
      fc.property(fc.array(fc.tuple(hostileName, names, names), { maxLength: 4 }), (parts) => {
        const { toolsets, agents } = assignNames({
          toolsets: parts.map(([name, tools, defs]) => toolset(name, tools, defs, tools)),
          agents: parts.map(([name, uses, exported]) => agent(name, uses, exported)),
        })
        const shared = toolsets.flatMap(({ names: own }) => [own.descriptor, own.specs, own.toolset])
        const ofAgents = agents.flatMap(({ names: own }) => [
          own.descriptor,
          own.register,
          own.binding,
          own.builder,
          own.env,
        ])
        const ofUses = agents.map(({ uses, exports: offers }) =>
          [...uses, ...offers].flatMap((names) =>
            Object.entries<string>({ ...names })
              .filter(([key]) => !/file$/i.test(key))
              .map(([, name]) => name),
          ),
        )
        for (const scope of [shared, ofAgents, ...toolsets.map(scopeOf), ...ofUses]) {
          expect(new Set(scope).size).toBe(scope.length)
          expect(scope.filter((identifier) => !isLegal(identifier) || reservedNames.has(identifier))).toEqual([])
        }
        const folders = toolsets.map(({ names: own }) => own.folder)
        const files = agents.map(({ uses, exports: offers }) => [...uses, ...offers].map(({ file }) => file))
        for (const location of [folders, agents.map(({ names: own }) => own.folder), ...files]) {
          expect(new Set(location.map((path) => path.toUpperCase())).size).toBe(location.length)
          expect(
            location.filter((path) => !/^[^./\\:*?"<>|\s]+(?:\.(?:service|agent))?$/.test(path) || path.length > 90),
          ).toEqual([])
        }
      }),
      { numRuns: 300 },
    )
  })

  it('use no letter that a compiler does not know', () => {
    // Many letters at once, because each assignment of names has a fixed cost.
    for (let first = 0x80; first <= 0xffff; first += 128) {
      const codes = Array.from({ length: 128 }, (_, index) => first + index)
      const letters = codes.filter((code) => code < 0xd800 || code > 0xdfff).map((code) => String.fromCharCode(code))
      const names = toolNames(...letters.map((letter) => `a${letter}`))
      for (const [index, letter] of letters.entries()) {
        const name = names[index] ?? ''
        if (!isLegal(name)) expect.fail(`U+${letter.charCodeAt(0).toString(16)} makes ${name}`)
      }
    }
  })

  it('of declared errors never rename a definition', () => {
    const tools = [{ name: 'getPet', errors: {} }, { name: 'addPet' }]
    const { toolsets } = assignNames({ toolsets: [{ name: 'pets', tools, defs: { GetPetError: {} } }], agents: [] })
    const [named] = toolsets
    expect(named?.names.defs.GetPetError?.sent).toBe('GetPetError')
    expect(named?.tools.map(({ errors }) => errors?.type)).toEqual([
      expect.stringMatching(/^GetPet_[0-9a-f]{6}Error$/),
      undefined,
    ])
  })
})
