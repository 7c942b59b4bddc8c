import { Runtime } from '@toolgen/runtime'
import { serveMcp } from '@toolgen/runtime/mcp'
import { packageVersion } from '../calls/contestants/package-version.mjs'
import { compiledClerk } from './generated-report.mjs'
import { reportOf } from './peers/report.js'

export const name = `toolgen ${packageVersion('@toolgen/runtime')}`

export const protocols = ['2025-11-25', '2026-07-28']

/** Serves the tool and resolves with its URL. Validates arguments and result. */
export async function serve() {
  const { registerClerk } = await compiledClerk()
  const runtime = new Runtime()
  const execute = async (request) => reportOf((await request.payload()).rows)
  const clerk = registerClerk(runtime, { toolsets: { articles: { executor: { execute } } } })
  const { url } = await serveMcp(runtime, { toolsets: [clerk], transport: { port: 0 } })
  return url
}
