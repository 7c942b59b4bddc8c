// Runs in a project: imports the module in its argument, and prints the CPU time and memory of the import.
const memory = process.memoryUsage().rss
const start = process.cpuUsage()
await import(process.argv[2])
const { user, system } = process.cpuUsage(start)
console.log(JSON.stringify({ cpuMs: (user + system) / 1000, mib: (process.memoryUsage().rss - memory) / 2 ** 20 }))
