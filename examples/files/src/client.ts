import type { McpCaller } from '@toolgen/runtime/mcp'
import { newFilesClient } from '../gen/toolsets/files/mcp.js'
import { type Print, printOutcome } from './print.js'

/** Uses only the generated client, without an agent: one typed method for each tool of the server. */
export async function lookAround(caller: McpCaller, print: Print): Promise<void> {
  const files = newFilesClient(caller)

  const listed = await files.listDirectory({ path: '.' })
  print('listDirectory')
  if (listed.status === 'completed') for (const line of listed.result.data.content.split('\n')) print(`   ${line}`)

  print('readTextFile of what is not there')
  printOutcome(await files.readTextFile({ path: 'chair.txt' }), print)
}
