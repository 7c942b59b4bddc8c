import type { ExecutorRequest, ToolsetRegistration } from '../../packages/runtime/src/index.js'
import { ToolFailure, toolsetRegistration } from '../../packages/runtime/src/index.js'
import { importedAs, servedTool } from './served.fixture.js'

const order = {
  type: 'object',
  properties: { id: { type: 'string' }, total: { type: 'number' } },
  required: ['id', 'total'],
}
const progress = {
  type: 'object',
  properties: { progress: { type: 'number' }, total: { type: 'number' }, message: { type: 'string' } },
}
const byId = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }

/** Tools of a shop, by their names in the served toolset. */
export const shopTools = {
  shop_find: { arguments: byId, outputSchema: order },
  shop_count: { updates: progress },
  shop_wait: {},
  shop_whoami: {},
}

/** Import of the same toolset. */
export const shopImport = importedAs('client', shopTools)

/** Observations of the shop's tools. */
export interface ShopLog {
  /** Names of tools whose call waits until it is cancelled. */
  readonly waiting: string[]
  /** Names of tools whose call was cancelled. */
  readonly cancelled: string[]
}

/** Returns a service with one tool of each kind. */
export function shop(log: ShopLog = { waiting: [], cancelled: [] }): ToolsetRegistration {
  const tools = [
    servedTool('shop', 'find', shopTools.shop_find),
    servedTool('shop', 'count', shopTools.shop_count),
    servedTool('shop', 'wait'),
    servedTool('shop', 'whoami'),
  ]
  const toolset = { name: 'shop', namespace: 'default', description: 'A shop.', tools }
  return toolsetRegistration({ toolset, provider: 'service' }, { execute: (request) => run(request, log) })
}

async function run({ tool, payload, emit, meta }: ExecutorRequest, { waiting, cancelled }: ShopLog): Promise<unknown> {
  switch (tool.name) {
    case 'find': {
      const { id }: any = await payload()
      if (id === 'none') throw new ToolFailure('There is no such order.')
      return { id, total: 12.5, secret: 'x' }
    }
    case 'count':
      await emit({ progress: 1, total: 2, message: 'half' })
      await emit({ progress: 2, total: 2 })
      return ['one', 'two']
    case 'whoami':
      return { session: meta.sessionId ?? null, tenant: meta.labels.tenant ?? null }
    default:
      waiting.push(tool.name)
      return new Promise((_, reject) => {
        meta.signal.addEventListener('abort', () => {
          cancelled.push(tool.name)
          reject(meta.signal.reason)
        })
      })
  }
}
