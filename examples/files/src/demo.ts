import { openBookkeeper } from './bookkeeper.js'
import { lookAround } from './client.js'
import { inNewFolder } from './folder.js'
import { addUpInvoices } from './planner.js'
import { type Print, printOutcome } from './print.js'
import { serveFiles } from './served.js'
import { everythingServer, filesServer } from './servers.js'

/** Runs the three parts in a temporary folder, with two servers that end after the demonstration. */
export async function demo(print: Print): Promise<void> {
  await inNewFolder(async (folder) => {
    const files = filesServer(folder)
    const everything = everythingServer()
    try {
      print('1. The typed client alone\n')
      await lookAround(files, print)

      print('\n2. An agent over two servers\n')
      for await (const { call, updates, outcome } of addUpInvoices(openBookkeeper({ files, everything }))) {
        print(`${call.tool} ${call.arguments}`)
        for (const update of updates) print(`   tells ${update}`)
        printOutcome(outcome, print)
      }

      print('\n3. The same tools, served to a client of the SDK\n')
      await serveFiles(files, print)
    } finally {
      await Promise.all([files.close(), everything.close()])
    }
  })
}
