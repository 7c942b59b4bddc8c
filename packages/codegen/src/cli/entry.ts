/** Prints help without loading the commands. */
export async function start(process: NodeJS.Process): Promise<void> {
  if (asksForHelp(process.argv.slice(2))) {
    // Closing the pipe, as `head` does, is not an error.
    process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 2))
    const { printsHelp } = await import('./run-process.js')
    if (await printsHelp(process)) return
  }
  await optimizeLater()
  // Node 22 and later cache compiled code of modules that are imported after this call.
  const enableCompileCache: unknown = Reflect.get(await import('node:module'), 'enableCompileCache')
  if (typeof enableCompileCache === 'function') enableCompileCache()
  const { runProcess } = await import('./run-process.js')
  runProcess(process)
}

/**
 * Increases the threshold at which V8 optimizes a function. Optimizing needs a third of the CPU time of `generate`. Most commands end before
 * optimized code has saved this time.
 */
async function optimizeLater(): Promise<void> {
  const { setFlagsFromString } = await import('node:v8')
  // Node 21 replaced the first option, and prints an error for it.
  const isOld = Number.parseInt(process.versions.node, 10) < 21
  setFlagsFromString(isOld ? '--interrupt-budget=1000000' : '--invocation-count-for-turbofan=30000')
}

/** Ignores words after `--`, because these words are the command of an MCP server. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  const own = end < 0 ? args : args.slice(0, end)
  return own.some((arg) => arg === '-h' || arg === '--help' || arg === '-v' || arg === '--version')
}
