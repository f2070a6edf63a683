"""Pure jobs, spread over local processes or a Ray cluster, with the same results as in this process."""

from outplay.parallel.jobs import LATER, JobError, JobResult, finished_jobs, job_seed, run_jobs

__all__ = ["LATER", "JobError", "JobResult", "finished_jobs", "job_seed", "run_jobs"]
