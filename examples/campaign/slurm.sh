#!/usr/bin/env bash
# A job array of workers: sbatch slurm.sh, or sbatch --array=1-20 slurm.sh for more. Each ends after ten minutes without a
# task, so that the array goes away when the campaign is over.
#SBATCH --job-name=kelpie-worker
#SBATCH --array=1-5
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8
#SBATCH --mem=16G
#SBATCH --time=12:00:00
#SBATCH --signal=B:TERM@300
set -euo pipefail

# The worker gets Slurm's signal five minutes before the end, and gives back what it has not begun.
exec npx --no-install kelpie worker \
  --nats "${KELPIE_NATS:?set it to nats://HOST:4222}" \
  --name "${SLURM_JOB_NAME:-kelpie}-${SLURM_ARRAY_TASK_ID:-0}" \
  --cores "${SLURM_CPUS_PER_TASK:-1}" \
  --memory "$(( ${SLURM_MEM_PER_NODE:-16384} / 1024 ))" \
  --idle 600
