import { demo } from './demo.js'

const runs = await demo({ env: process.env, print: console.log })
process.exitCode = Object.values(runs).every(({ status }) => status === 'completed') ? 0 : 1
