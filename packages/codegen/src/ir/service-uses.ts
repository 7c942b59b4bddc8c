import type { AgentIr, ServiceUseIr } from './types.js'

/** The uses of an agent that a service client serves. */
export function serviceUses({ uses }: Pick<AgentIr, 'uses'>): readonly ServiceUseIr[] {
  return uses.filter((use) => use.provider === 'service')
}
