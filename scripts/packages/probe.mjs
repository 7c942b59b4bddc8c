// Runs in a project: imports the modules in its arguments. Prints JSON with `true` or the error of Node for each module.
const outcomes = {}
for (const entry of process.argv.slice(2)) {
  outcomes[entry] = await import(entry).then(
    (module) => Object.keys(module).length > 0,
    (error) => `${error.code}: ${error.message}`,
  )
}
console.log(JSON.stringify(outcomes))
