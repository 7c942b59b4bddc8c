// Started in a project: imports what its argument names and prints what that took: CPU time and memory.
const memory = process.memoryUsage().rss
const start = process.cpuUsage()
await import(process.argv[2])
const { user, system } = process.cpuUsage(start)
console.log(JSON.stringify({ cpuMs: (user + system) / 1000, mib: (process.memoryUsage().rss - memory) / 2 ** 20 }))
