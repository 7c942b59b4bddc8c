// Serves the tool of a contestant. Answers each message with the CPU time of the process in milliseconds.
const { name, protocols, serve } = await import(process.argv[2])

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send((user + system) / 1_000)
})
process.send({ name, protocols, url: await serve() })
